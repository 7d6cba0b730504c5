#include "test/corpus/Summary.h"
#include "test/corpus/Text.h"

#include <algorithm>
#include <cstdio>

namespace ashlar::corpus {
namespace {

constexpr size_t shownSeeds = 12, shownPrograms = 8;

} // namespace

void Summary::note(const Outcome &outcome, uint64_t seed) {
  ++programs;
  failing += !outcome.failures.empty();
  for (const std::string &kind : outcome.kinds())
    seeds[kind].push_back(seed);
  if (!outcome.lost)
    ++notCompared;
  else if (outcome.lost->products == 0)
    ++optimal;
  else
    below.push_back({outcome.lost->products, seed, outcome.lost->first});
}

void Summary::print(const std::string &family) {
  std::string text = format("{}: {} programs, {} right\n", family, programs,
                            programs - failing);
  for (auto &[kind, failed] : seeds) {
    std::ranges::sort(failed);
    text += format("  {} of '{}':", failed.size(), kind);
    for (size_t i = 0; i < std::min(failed.size(), shownSeeds); ++i)
      text += format(" {}", failed[i]);
    text += failed.size() > shownSeeds ? " ...\n" : "\n";
  }
  std::fputs(text.c_str(), stdout);
  printWaits();
}

void Summary::printWaits() {
  std::ranges::sort(below, std::greater(), &Below::products);
  std::string text =
      format("  waits: {} at the optimum, {} below, {} not compared\n", optimal,
             below.size(), notCompared);
  for (size_t i = 0; i < std::min(below.size(), shownPrograms); ++i)
    text += format("    seed {}: {} products less in flight; {}\n",
                   below[i].seed, below[i].products, below[i].first);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

} // namespace ashlar::corpus
