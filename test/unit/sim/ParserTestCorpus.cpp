// The texts that the fuzzer starts from, and those that once broke the parser:
// each is parsed or refused, whole and cut off anywhere.
#include "ParsePtx.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ashlar::sim {
namespace {

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::filesystem::path(ASHLAR_FUZZ_CORPUS) / "ptx"))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ParserCorpus, IsParsedOrRefused) {
  ASSERT_FALSE(corpus().empty());
  for (const auto &path : corpus()) {
    const std::string fault = faultOf(read(path));
    // The name tells which are meant to be right.
    const bool isRight = path.extension() == ".ptx";
    EXPECT_TRUE(fault.empty() || !isRight) << path << " " << fault;
  }
}

TEST(ParserCorpus, IsRefusedWhereverItIsCutOff) {
  for (const auto &path : corpus()) {
    const std::string text = read(path);
    for (size_t size = 0; size < text.size(); ++size)
      faultOf(text.substr(0, size));
  }
}

TEST(ParserCorpus, IsParsedOrRefusedWithAnyByteReplaced) {
  for (const auto &path : corpus()) {
    std::string text = read(path);
    for (size_t i = 0; i < text.size(); ++i) {
      const char kept = text[i];
      for (char c : {'\0', '{', '}', '(', '"', '9', '.', '\xFF'}) {
        text[i] = c;
        faultOf(text);
      }
      text[i] = kept;
    }
  }
}

} // namespace
} // namespace ashlar::sim
