// Breaks correct programs at random, and prints what becomes of them.
#include "test/broken/Break.h"
#include "test/corpus/Check.h"
#include "test/corpus/Emit.h"
#include "test/corpus/Interpret.h"
#include "test/corpus/Text.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <regex>

using namespace ashlar::corpus;

namespace {

/// What became of a broken program.
enum class Fate : uint8_t {
  refused,
  reported, ///< at a line about what the change is about
  harmless, ///< it computes the same, as the interpreter shows
  another,  ///< it computes something else, which the interpreter does too
  reportedElsewhere, ///< the first report names other lines only
  wrong,             ///< its results are not the interpreter's; no report
  missed,            ///< the interpreter stops; no report
};
constexpr const char *fates[] = {
    "refused",         "reported there",     "harmless",
    "another program", "reported elsewhere", "wrong",
    "not reported"};

struct Judgement {
  Fate fate;
  std::string why;
};

/// The lines of the listing that a report names.
std::set<int> linesOf(const std::string &report) {
  static const std::regex place(std::string(listingName) + ":([0-9]+)");
  std::set<int> lines;
  for (std::sregex_iterator at(report.begin(), report.end(), place), end;
       at != end; ++at)
    lines.insert(std::stoi((*at)[1]));
  return lines;
}

bool computeTheSame(const Interpretation &a, const Interpretation &b) {
  for (const auto &[name, matrix] : a.tensors)
    if (!std::ranges::equal(matrix.elements, b.tensors.at(name).elements, same))
      return false;
  return true;
}

Judgement judge(const Program &right, const Broken &broken,
                uint64_t schedules) {
  Effort effort;
  effort.schedules = schedules;
  const Outcome outcome = checkApart(broken.program, effort);
  const Interpretation expected = interpret(broken.program);
  std::string wrong;
  for (const Failure &failure : outcome.failures) {
    if (failure.kind == "refused")
      return {Fate::refused, failure.detail};
    if (isFoundByCompiling(failure.kind))
      continue;
    if (failure.kind == "wrong result") {
      wrong = failure.detail;
      continue;
    }
    const std::set<int> about = linesAbout(broken.program, broken.touched);
    for (int line : linesOf(failure.detail))
      if (about.contains(line))
        return {Fate::reported, failure.detail};
    return {Fate::reportedElsewhere, failure.kind + ": " + failure.detail};
  }
  if (!expected.problem.empty())
    return {Fate::missed, expected.problem};
  if (!wrong.empty())
    return {Fate::wrong, wrong};
  return {computeTheSame(interpret(right), expected) ? Fate::harmless
                                                     : Fate::another,
          expected.leftover};
}

Broken broken(const Program &program, uint64_t seed) {
  Dice dice(seed);
  while (true)
    if (std::optional<Broken> broken = breakOneCall(program, dice))
      return std::move(*broken);
}

class Table {
public:
  void note(const Broken &broken, Fate fate) {
    ++counts[broken.change][broken.call][fate];
    ++counts["all"][""][fate];
  }

  void print() const {
    std::cout << std::left << std::setw(28) << "";
    for (const char *fate : fates)
      std::cout << std::right << std::setw(20) << fate;
    std::cout << "\n";
    for (const auto &[change, calls] : counts)
      for (const auto &[call, row] : calls) {
        std::cout << std::left << std::setw(28) << change + " " + call;
        for (size_t i = 0; i < std::size(fates); ++i) {
          auto count = row.find(static_cast<Fate>(i));
          std::cout << std::right << std::setw(20)
                    << (count == row.end() ? 0 : count->second);
        }
        std::cout << "\n";
      }
  }

private:
  std::map<std::string, std::map<std::string, std::map<Fate, int>>> counts;
};

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Breaks random correct programs by one call that is dropped, "
               "doubled or moved, or an index that is changed: each must be "
               "refused, reported where it is, or shown to be harmless.");
  uint64_t first = 0, count = 100, schedules = 3;
  bool showsAll = false;
  app.add_option("--first", first, "The first seed");
  app.add_option("--count", count, "Programs, of both families in turn");
  app.add_option("--schedules", schedules,
                 "Orders of execution to try for each program");
  app.add_flag("--show-all", showsAll, "Print all programs and their reports");
  CLI11_PARSE(app, argc, argv);
  Table table;
  bool fails = false;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Program right =
        draw(seed % 2 ? Family::pipeline : Family::compute, seed);
    const Broken wrong = broken(right, seed);
    const Judgement judgement = judge(right, wrong, schedules);
    table.note(wrong, judgement.fate);
    const bool isBad = judgement.fate > Fate::another;
    fails |= isBad;
    if (isBad || showsAll)
      std::cout << format("// {}: {} {}\n{}{}: {}\n", seed, wrong.text,
                          wrong.change, print(wrong.program),
                          fates[static_cast<int>(judgement.fate)],
                          judgement.why)
                << std::endl;
  }
  table.print();
  return fails;
}
