// Fuzzes the compiler with IR: any text of any level is lowered or refused. A
// signal, an exception or a run without end is a finding.
//
//   ashlar-fuzz-ir [--seed=N] [--seconds=N] [--out=FOLDER] CORPUS...
//
// The corpus: folders of .mlir files, such as test/, and kernel programs, such
// as examples/gemm, which print their levels. A finding is made smaller and
// written to the folder; a text in it can be given as --replay=FILE.

#include "test/fuzz/LowerIr.h"
#include "test/fuzz/MutateIr.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

using namespace ashlar::fuzz;

namespace {

struct Seed {
  std::string text;
  Level level;
};

Level levelOf(const std::string &text) {
  auto has = [&](const char *word) {
    return text.find(word) != std::string::npos;
  };
  return has("hopper.kernel") ? Level::hopper
         : has("tile.kernel") ? Level::tile
                              : Level::thread;
}

/// A change to a comment changes nothing.
std::string withoutComments(const std::string &text) {
  return std::regex_replace(text, std::regex(" *//[^\\n]*\\n"), "");
}

/// Each part of a test file, and what it becomes on the levels below.
void addTexts(const std::string &texts, std::vector<Seed> &seeds) {
  constexpr std::string_view divider = "// -----";
  for (size_t begin = 0; begin < texts.size();) {
    size_t end = std::min(texts.find(divider, begin), texts.size());
    std::string text = withoutComments(texts.substr(begin, end - begin));
    begin = end + divider.size();
    if (text.find(".kernel") == std::string::npos)
      continue;
    while (!text.empty()) {
      const Level level = levelOf(text);
      seeds.push_back({text, level});
      text = level == Level::thread ? "" : nextLevelOf(text, level);
    }
  }
}

std::string contents(std::istream &&in) {
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string printedBy(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, count);
  pclose(pipe);
  return text;
}

void addCorpus(const std::string &path, std::vector<Seed> &seeds) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path))
    return addTexts(printedBy(path + " --emit=tile"), seeds);
  std::vector<fs::path> files;
  for (const auto &entry : fs::recursive_directory_iterator(path))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files)
    addTexts(contents(std::ifstream(file)), seeds);
}

/// What MLIR's own parser does not survive: a position in a structure that 32
/// bits do not count, and an array of indices.
bool isBeyondMlir(const std::string &text) {
  static const std::regex form(
      "(extract|insert)value[^\\n]*\\[-?[0-9]{10}|array<index");
  return std::regex_search(text, form);
}

/// The text without the lines that the fault does without.
std::string smaller(std::string text, Level level, int start,
                    const std::string &fault, const std::string &log) {
  bool shrank = true;
  while (shrank) {
    shrank = false;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      const std::string without = text.substr(0, begin) + text.substr(end);
      if (lower(without, level, start, log, /*seconds=*/2).fault == fault) {
        text = without;
        shrank = true;
      } else {
        begin = end;
      }
    }
  }
  return text;
}

struct Options {
  uint64_t seed = 1;
  int64_t seconds = 60;
  std::string out = "fuzz-ir", replay;
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
    else if (argument.starts_with("--out="))
      options.out = value;
    else if (argument.starts_with("--replay="))
      options.replay = value;
    else
      options.corpus.push_back(argument);
  }
  return options;
}

int replay(const Options &options) {
  const std::string text = contents(std::ifstream(options.replay));
  const Level level = levelOf(text);
  int faults = 0;
  for (int start = 0; start < startsOf(level); ++start) {
    Outcome outcome = lower(text, level, start, "/dev/null");
    std::cout << "start " << start << ": "
              << (!outcome.fault.empty() ? outcome.fault
                  : outcome.isLowered    ? "lowered"
                                         : "refused")
              << "\n";
    faults += !outcome.fault.empty();
  }
  return faults ? 1 : 0;
}

int fuzz(const Options &options) {
  std::vector<Seed> seeds;
  for (const std::string &path : options.corpus)
    addCorpus(path, seeds);
  if (seeds.empty()) {
    std::cerr << "there is no text to start from: name a folder or a program\n";
    return 2;
  }
  std::filesystem::create_directories(options.out);
  const std::string log = options.out + "/log.txt";
  std::mt19937_64 random(options.seed);
  std::map<std::string, int> faults;
  int64_t texts = 0, lowered = 0;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  while (std::chrono::steady_clock::now() < end) {
    const Seed &seed = seeds[random() % seeds.size()];
    const std::string text = mutate(seed.text, random);
    if (isBeyondMlir(text))
      continue;
    const int start = random() % startsOf(seed.level);
    Outcome outcome = lower(text, seed.level, start, log);
    ++texts;
    lowered += outcome.isLowered;
    if (outcome.fault.empty() || ++faults[outcome.fault] > 3)
      continue;
    const std::string name = options.out + "/fault-" +
                             std::to_string(options.seed) + "-" +
                             std::to_string(texts) + ".mlir";
    std::ofstream(name) << "// start " << start << ": " << outcome.fault << "\n"
                        << smaller(text, seed.level, start, outcome.fault, log);
    std::cout << name << ": " << outcome.fault << std::endl;
  }
  std::cout << seeds.size() << " texts to start from, " << texts
            << " made of them, " << lowered << " lowered, " << faults.size()
            << " kinds of fault\n";
  for (const auto &[fault, count] : faults)
    std::cout << count << " times: " << fault << "\n";
  return faults.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  return options.replay.empty() ? fuzz(options) : replay(options);
}
