// Fuzzes what loads artifacts: any file is run or refused with a sentence.
//
//   ashlar-fuzz-artifact [--seed=N] [--seconds=N] [--count=N] [--out=FOLDER]
//                        CORPUS...
//
// The corpus: artifacts, and kernel programs such as examples/gemm, which save
// theirs. What is a fault stays in the folder, as ashlar-run takes it.

#include "test/fuzz/LoadArtifact.h"
#include "test/fuzz/MutateArtifact.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

using namespace ashlar::fuzz;
namespace fs = std::filesystem;

namespace {

struct Options {
  uint64_t seed = 1;
  int64_t seconds = 60;
  int64_t count = INT64_MAX;
  fs::path out = "fuzz-artifact";
  std::vector<std::string> corpus;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("--seed="))
      options.seed = std::stoull(value);
    else if (argument.starts_with("--seconds="))
      options.seconds = std::stoll(value);
    else if (argument.starts_with("--count="))
      options.count = std::stoll(value);
    else if (argument.starts_with("--out="))
      options.out = value;
    else
      options.corpus.push_back(argument);
  }
  return options;
}

Bytes contents(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void write(const fs::path &path, const Bytes &bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

bool isArtifact(const Bytes &bytes) {
  constexpr std::string_view magic = "Ashlar\n";
  return bytes.size() > 32 &&
         std::equal(magic.begin(), magic.end(), bytes.begin(),
                    [](char c, std::byte b) { return std::byte(c) == b; });
}

/// The artifacts, each of which must run as it is.
std::vector<Bytes> readCorpus(const Options &options, const fs::path &file) {
  std::vector<Bytes> seeds;
  for (const std::string &path : options.corpus) {
    Bytes bytes = contents(path);
    if (!isArtifact(bytes)) {
      const std::string command =
          path + " --no-cache --save=" + file.string() + " >/dev/null";
      if (std::system(command.c_str()) != 0)
        std::cerr << path << " saves no artifact\n";
      bytes = contents(file);
    }
    write(file, bytes);
    if (loadAndRun(file).isRun)
      seeds.push_back(bytes);
    else
      std::cerr << path << " is left out: it does not run as it is\n";
  }
  return seeds;
}

int fuzz(const Options &options) {
  fs::create_directories(options.out);
  const fs::path file = options.out / "file.ashlar";
  const std::vector<Bytes> seeds = readCorpus(options, file);
  if (seeds.empty()) {
    std::cerr << "there is no artifact to start from: name one, or a kernel "
                 "program\n";
    return 2;
  }
  std::mt19937_64 random(options.seed);
  std::map<std::string, int> faults;
  int64_t files = 0, ran = 0;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  for (; files < options.count && std::chrono::steady_clock::now() < end;
       ++files) {
    write(file, mutateArtifact(seeds[random() % seeds.size()], random));
    const LoadOutcome outcome = loadAndRun(file);
    ran += outcome.isRun;
    if (outcome.fault.empty() || ++faults[outcome.fault] > 3)
      continue;
    const fs::path kept =
        options.out / ("fault-" + std::to_string(options.seed) + "-" +
                       std::to_string(files) + ".ashlar");
    fs::copy_file(file, kept, fs::copy_options::overwrite_existing);
    std::cout << kept.string() << ": " << outcome.fault << std::endl;
  }
  std::cout << seeds.size() << " artifacts to start from, " << files
            << " files made of them, " << ran << " ran, " << faults.size()
            << " kinds of fault\n";
  for (const auto &[fault, count] : faults)
    std::cout << count << " times: " << fault << "\n";
  return faults.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) { return fuzz(parse(argc, argv)); }
