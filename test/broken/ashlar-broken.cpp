// Breaks correct programs and kernels at random, and prints what becomes of
// them.
#include "test/broken/Judge.h"
#include "test/corpus/Text.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>

using namespace ashlar::broken;
using namespace ashlar::corpus;

namespace {

constexpr const char *fates[] = {
    "refused",         "reported there",     "harmless",
    "another program", "reported elsewhere", "wrong",
    "not reported"};

struct Case {
  std::string change, call, text;
  Judgement judgement;
};

Case programCase(uint64_t seed, uint64_t schedules) {
  Dice dice(seed);
  const Program right =
      draw(seed / 2 % 2 ? Family::pipeline : Family::compute, seed);
  std::optional<BrokenProgram> broken;
  while (!broken)
    broken = breakOneCall(right, dice);
  return {broken->change, broken->call,
          broken->text + "\n" + print(broken->program),
          judge(right, *broken, schedules)};
}

Case kernelCase(uint64_t seed, uint64_t schedules) {
  Dice dice(seed);
  const MeetingKernel right = dice.of(meetingKernels());
  ashlar::Kernel kernel = right.make();
  std::optional<BrokenOperation> broken;
  while (!broken)
    broken = breakOneOperation(kernel, dice);
  return {broken->change, broken->call, broken->where + "\n" + kernel.tile_ir(),
          judge(right, kernel, *broken, schedules)};
}

class Table {
public:
  void note(const Case &broken) {
    ++counts[broken.change][broken.call][broken.judgement.fate];
    ++counts["all"][""][broken.judgement.fate];
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
  app.add_option("--count", count,
                 "Programs; every fourth a kernel with barriers or counters");
  app.add_option("--schedules", schedules,
                 "Orders of execution to try for each program");
  app.add_flag("--show-all", showsAll, "Print all programs and their reports");
  CLI11_PARSE(app, argc, argv);
  Table table;
  bool fails = false;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Case broken = seed % 4 == 3 ? kernelCase(seed, schedules)
                                      : programCase(seed, schedules);
    table.note(broken);
    const bool isBad = broken.judgement.fate > Fate::another;
    fails |= isBad;
    if (isBad || showsAll)
      std::cout << format("// {}: {} {} {}\n{}: {}\n", seed, broken.change,
                          broken.call, broken.text,
                          fates[static_cast<int>(broken.judgement.fate)],
                          broken.judgement.why)
                << std::endl;
  }
  table.print();
  return fails;
}
