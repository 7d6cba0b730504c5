#include "bench/GemmComparison.h"

#include <algorithm>
#include <cmath>

namespace ashlar::bench {

namespace {

/// What a measurement may take on the device.
constexpr double screeningMilliseconds = 10, roundMilliseconds = 30;

/// Fast sums of fp8 keep about 14 bits of each partial sum.
constexpr double fastTolerance = 0.15, tolerance = 0.03;

Measurement summary(const std::vector<double> &rounds) {
  auto [least, most] = std::ranges::minmax(rounds);
  const double middle = median(rounds);
  return {middle, (most - least) / middle};
}

class Comparison {
public:
  Comparison(ComparisonContext &context, GemmRow &row)
      : timer(context.timer), types(context.types), rounds(context.rounds),
        operands(context.device, types, row.shape.sizes), row(row) {}

  void run(Module &module, Competitors &competitors) {
    const auto arguments = operands.arguments();
    const Contender ours{"'" + row.configuration + "'", [&](Stream &stream) {
                           module.launch(arguments, stream);
                         }};
    const std::vector<Contender> theirs = competitors.of(operands);
    check(ours, theirs);
    if (theirs.empty()) {
      row.refusal = "no competitor computes it";
      return;
    }
    choose(theirs);
    for (int round = 0; round < rounds; ++round)
      takeTurns(ours);
    row.oursCold = summary(oursCold), row.theirsCold = summary(theirsCold);
    row.oursHot = summary(oursHot), row.theirsHot = summary(theirsHot);
  }

private:
  std::vector<uint16_t> resultOf(const Contender &contender) {
    operands.clearResult();
    timer.once(contender);
    return operands.result();
  }

  void check(const Contender &ours, const std::vector<Contender> &theirs) {
    const std::vector<uint16_t> result = resultOf(ours);
    row.fromTruth = operands.fromTruth(result);
    row.wrong = !isRight(row.fromTruth, types);
    if (theirs.empty())
      return;
    row.fromCompetitor = difference(result, resultOf(theirs.front()));
    row.wrong |= !isRight(row.fromCompetitor, types);
  }

  void choose(const std::vector<Contender> &theirs) {
    double cold = INFINITY, hot = INFINITY;
    for (const Contender &contender : theirs) {
      const double hotHere = timer.hot(contender, screeningMilliseconds);
      const double coldHere = timer.cold(contender, screeningMilliseconds);
      if (hotHere < hot)
        hot = hotHere, bestHot = &contender;
      if (coldHere < cold)
        cold = coldHere, bestCold = &contender;
    }
    row.competitorCold = bestCold->name;
    row.competitorHot = bestHot->name;
  }

  // Clocks drift with power.
  void takeTurns(const Contender &ours) {
    auto cold = [&](const Contender &contender) {
      return timer.cold(contender, roundMilliseconds);
    };
    auto hot = [&](const Contender &contender) {
      return timer.hot(contender, roundMilliseconds);
    };
    oursCold.push_back(cold(ours));
    theirsCold.push_back(cold(*bestCold));
    oursHot.push_back(hot(ours));
    theirsHot.push_back(hot(*bestHot));
  }

  Timer &timer;
  GemmTypes types;
  int rounds;
  GemmOperands operands;
  GemmRow &row;
  const Contender *bestCold = nullptr, *bestHot = nullptr;
  std::vector<double> oursCold, theirsCold, oursHot, theirsHot;
};

} // namespace

bool isRight(const Difference &difference, const GemmTypes &types) {
  const bool fast =
      size_bytes(types.a) == 1 && types.accumulation == Accumulation::fast;
  return difference.largest <= (fast ? fastTolerance : tolerance);
}

GemmRow compareGemm(ComparisonContext &context, const GemmShape &shape,
                    const GemmConfig &config) {
  GemmRow row;
  row.shape = shape;
  row.configuration = config.str();
  try {
    Module &module = context.kernels.get(context.types, config);
    Comparison(context, row).run(module, context.competitors);
  } catch (const Error &error) {
    row.refusal = error.what();
  }
  return row;
}

} // namespace ashlar::bench
