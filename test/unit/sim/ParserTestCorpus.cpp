// The texts that the fuzzer starts from, and those that once broke the parser:
// each is parsed or refused, whole and cut off anywhere.
#include "Corpus.h"
#include "ParsePtx.h"

namespace ashlar::sim {
namespace {

TEST(ParserCorpus, IsParsedOrRefused) {
  ASSERT_FALSE(corpus("ptx").empty());
  for (const auto &path : corpus("ptx")) {
    const std::string fault = faultOf(contentOf(path));
    // The name tells which are meant to be right.
    const bool isRight = path.extension() == ".ptx";
    EXPECT_TRUE(fault.empty() || !isRight) << path << " " << fault;
  }
}

// The time of the next two grows with the square of a text's length.
constexpr size_t longest = 1200;

TEST(ParserCorpus, IsRefusedWhereverItIsCutOff) {
  for (const auto &path : corpus("ptx")) {
    const std::string text = contentOf(path);
    for (size_t size = 0; text.size() <= longest && size < text.size(); ++size)
      faultOf(text.substr(0, size));
  }
}

TEST(ParserCorpus, IsParsedOrRefusedWithAnyByteReplaced) {
  constexpr char others[] = {'\0', '{', '}', '(', '"', '9', '.', '\xFF'};
  for (const auto &path : corpus("ptx")) {
    std::string text = contentOf(path);
    for (size_t i = 0; text.size() <= longest && i < text.size(); ++i) {
      const char kept = text[i];
      text[i] = others[(i + text.size()) % std::size(others)];
      faultOf(text);
      text[i] = kept;
    }
  }
}

} // namespace
} // namespace ashlar::sim
