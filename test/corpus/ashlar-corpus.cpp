// Draws programs, checks each, and prints how many fail and how.
#include "test/corpus/Check.h"
#include "test/corpus/Emit.h"
#include "test/corpus/Shrink.h"
#include "test/corpus/Summary.h"

#include "ashlar/compile.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace ashlar::corpus;

namespace {

struct Options {
  uint64_t first = 0, last = 60; ///< seeds, the last not among them
  bool isQuiet = false, shrinks = false;
  std::string onlyKind, level;
  std::vector<std::string> printAfter;
  unsigned jobs = 1;
  Effort effort;

  void parseSeeds(const std::string &text) {
    const size_t colon = text.find(':');
    first = std::stoull(text);
    last = colon == std::string::npos ? first + 1
                                      : std::stoull(text.substr(colon + 1));
  }
};

/// The program, and what it is at the level that is asked for.
std::string textOf(const Program &program, const Options &options) {
  std::string text = print(program);
  if (options.level.empty() && options.printAfter.empty())
    return text;
  ashlar::CompileOptions compiling;
  compiling.assemble = false;
  compiling.keep_levels = true;
  compiling.print_after = options.printAfter;
  for (const ashlar::LevelText &level :
       compile(emit(program), compiling).levels)
    if (level.level == options.level)
      text += level.text;
  return text;
}

/// The program, made small, and what then becomes of it.
std::string shrunken(const Program &program, const std::string &kind,
                     const Options &options) {
  Effort effort = options.effort;
  effort.simulates = !isFoundByCompiling(kind);
  const Program small = shrink(program, [&](const Program &candidate) {
    return checkApart(candidate, effort).failsBy(kind);
  });
  effort.simulates = true;
  return "// for '" + kind + "'\n" + textOf(small, options) +
         checkApart(small, effort).str() + "\n";
}

std::string textOf(const Program &program, const Outcome &outcome,
                   const Options &options) {
  std::string text;
  if (options.shrinks)
    for (const std::string &kind : outcome.kinds())
      text += shrunken(program, kind, options);
  else if (!options.isQuiet && !outcome.failures.empty())
    text = textOf(program, options) + outcome.str() + "\n";
  return text;
}

Summary checkAll(Family family, const Options &options) {
  Summary summary;
  std::mutex mutex;
  std::atomic<uint64_t> next = options.first;
  auto work = [&] {
    for (uint64_t seed; (seed = next++) < options.last;) {
      const Program program = draw(family, seed);
      Outcome outcome = checkApart(program, options.effort);
      std::erase_if(outcome.failures, [&](const Failure &failure) {
        return !options.onlyKind.empty() && failure.kind != options.onlyKind;
      });
      const std::string text = textOf(program, outcome, options);
      std::lock_guard lock(mutex);
      std::fputs(text.c_str(), stdout);
      summary.note(outcome, seed);
    }
  };
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < options.jobs; ++i)
    threads.emplace_back(work);
  for (std::jthread &thread : threads)
    thread.join();
  return summary;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Random correct programs: each must compile without a remark or "
               "a spill, run without a finding and give the right result.");
  Options options;
  std::string seeds = "0:60", onlyFamily;
  bool prints = false, fails = false;
  app.add_option("--seeds", seeds, "A, or those from A on and below B: A:B");
  app.add_option("--family", onlyFamily,
                 "compute or pipeline; both if left out")
      ->check(CLI::IsMember({"compute", "pipeline"}));
  app.add_flag("--print", prints, "Print the programs, and check none");
  app.add_flag("--quiet", options.isQuiet, "Print the counts only");
  app.add_flag("--shrink", options.shrinks,
               "Print each that fails as small as it goes");
  app.add_option("--emit", options.level, "Print them at this level as well")
      ->check(CLI::IsMember({"tile", "hopper", "thread", "llvm", "ptx"}));
  app.add_option("--print-after", options.printAfter,
                 "Print their IR after this pass to the error stream");
  app.add_option("--schedules", options.effort.schedules,
                 "Orders of execution to try for each program");
  app.add_option("--kind", options.onlyKind, "Failures of this kind only");
  app.add_option("--jobs", options.jobs, "Programs that are checked at once");
  CLI11_PARSE(app, argc, argv);
  options.parseSeeds(seeds);
  for (auto [family, name] : {std::pair{Family::compute, "compute"},
                              std::pair{Family::pipeline, "pipeline"}}) {
    if (!onlyFamily.empty() && onlyFamily != name)
      continue;
    if (prints) {
      for (uint64_t seed = options.first; seed < options.last; ++seed)
        std::printf("%s\n", textOf(draw(family, seed), options).c_str());
      continue;
    }
    Summary summary = checkAll(family, options);
    summary.print(name);
    fails |= summary.hasFailures();
  }
  return fails;
}
