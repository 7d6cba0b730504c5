// Draws programs, checks each, and prints how many fail and how.
#include "test/corpus/Check.h"
#include "test/corpus/Shrink.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

using namespace ashlar::corpus;

namespace {

struct Seeds {
  uint64_t first = 0, last = 60; // exclusive
};

Seeds parseSeeds(const std::string &text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos)
    return {std::stoull(text), std::stoull(text) + 1};
  return {std::stoull(text.substr(0, colon)),
          std::stoull(text.substr(colon + 1))};
}

/// How far programs are from the optimum of their waits.
struct Waits {
  uint64_t optimal = 0, others = 0; ///< others issue other products
  std::vector<std::tuple<int64_t, uint64_t, std::string>> lost; ///< and seed

  void note(const Outcome &outcome, uint64_t seed) {
    if (!outcome.lost)
      ++others;
    else if (outcome.lost->products == 0)
      ++optimal;
    else
      lost.emplace_back(outcome.lost->products, seed, outcome.lost->first);
  }

  void print() {
    std::sort(lost.rbegin(), lost.rend());
    std::printf("  waits: %llu at the optimum, %zu below, %llu not compared\n",
                (unsigned long long)optimal, lost.size(),
                (unsigned long long)others);
    for (size_t i = 0; i < std::min<size_t>(lost.size(), 8); ++i) {
      const auto &[products, seed, first] = lost[i];
      std::printf("    seed %llu: %lld products less in flight; %s\n",
                  (unsigned long long)seed, (long long)products, first.c_str());
    }
  }
};

/// How many programs fail in each way, and which.
using Counts = std::map<std::string, std::vector<uint64_t>>;

void printCounts(const char *family, uint64_t programs, const Counts &counts,
                 uint64_t failing) {
  std::printf("%s: %llu programs, %llu right\n", family,
              (unsigned long long)programs,
              (unsigned long long)(programs - failing));
  for (const auto &[kind, seeds] : counts) {
    std::printf("  %-24s %4zu:", kind.c_str(), seeds.size());
    for (size_t i = 0; i < std::min<size_t>(seeds.size(), 12); ++i)
      std::printf(" %llu", (unsigned long long)seeds[i]);
    std::printf(seeds.size() > 12 ? " ...\n" : "\n");
  }
}

/// The program, made small, and what then becomes of it.
std::string shrunken(const Program &program, const std::string &kind) {
  const Until until =
      isFoundByCompiling(kind) ? Until::compiled : Until::simulated;
  const Program small = shrink(program, [&](const Program &candidate) {
    return checkApart(candidate, until).failsBy(kind);
  });
  return print(small) + checkApart(small).str();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Random correct programs: each must compile without a remark or "
               "a spill, run without a finding and give the right result.");
  std::string seedsText = "0:60", familyName, onlyKind;
  bool prints = false, isQuiet = false, shrinks = false;
  unsigned jobs = 1;
  app.add_option("--seeds", seedsText, "A:B are those from A, below B");
  app.add_option("--family", familyName,
                 "compute or pipeline; both if left out")
      ->check(CLI::IsMember({"compute", "pipeline"}));
  app.add_flag("--print", prints, "Print the programs, and check none");
  app.add_flag("--quiet", isQuiet, "Print the counts only");
  app.add_flag("--shrink", shrinks,
               "Print each that fails as small as it goes");
  app.add_option("--kind", onlyKind, "Failures of this kind only");
  app.add_option("--jobs", jobs, "Programs that are checked at once");
  CLI11_PARSE(app, argc, argv);
  const Seeds seeds = parseSeeds(seedsText);
  bool fails = false;
  for (auto [family, name] : {std::pair{Family::compute, "compute"},
                              std::pair{Family::pipeline, "pipeline"}}) {
    if (!familyName.empty() && familyName != name)
      continue;
    Counts counts;
    Waits waits;
    uint64_t failing = 0;
    std::mutex mutex;
    std::atomic<uint64_t> next = seeds.first;
    auto work = [&] {
      for (uint64_t seed; (seed = next++) < seeds.last;) {
        const Program program = draw(family, seed);
        if (prints) {
          std::printf("%s\n", print(program).c_str());
          continue;
        }
        Outcome outcome = checkApart(program);
        std::erase_if(outcome.failures, [&](const Failure &failure) {
          return !onlyKind.empty() && failure.kind != onlyKind;
        });
        std::string text;
        if (shrinks)
          for (const std::string &kind : outcome.kinds())
            text += "// for '" + kind + "'\n" + shrunken(program, kind) + "\n";
        else if (!isQuiet && !outcome.failures.empty())
          text = print(program) + outcome.str();
        std::lock_guard lock(mutex);
        waits.note(outcome, seed);
        failing += !outcome.failures.empty();
        if (!text.empty())
          std::printf("%s\n", text.c_str());
        for (const std::string &kind : outcome.kinds())
          counts[kind].push_back(seed);
      }
    };
    {
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < (prints ? 1 : jobs); ++i)
        threads.emplace_back(work);
    }
    if (!prints) {
      printCounts(name, seeds.last - seeds.first, counts, failing);
      waits.print();
    }
    fails |= failing > 0;
  }
  return fails;
}
