#include "bench/GemmComparison.h"

#include <algorithm>
#include <cmath>

namespace ashlar::bench {

namespace {

/// What a measurement may take on the device.
constexpr double screeningMilliseconds = 10, roundMilliseconds = 30;

Measurement summary(const std::vector<double> &rounds) {
  auto [least, most] = std::ranges::minmax(rounds);
  const double middle = median(rounds);
  return {middle, (most - least) / middle};
}

/// The quotients within each round.
Measurement summary(const std::vector<double> &rounds,
                    const std::vector<double> &over) {
  std::vector<double> quotients;
  for (size_t i = 0; i < rounds.size(); ++i)
    quotients.push_back(rounds[i] / over[i]);
  return summary(quotients);
}

class Comparison {
public:
  Comparison(GemmBench &bench, GemmRow &row)
      : bench(bench), timer(bench.timer),
        operands(bench.device, bench.types, row.shape.sizes), row(row) {}

  void run(const GemmConfig &config) {
    const Contender ours = ourGemm(bench, operands, config);
    const std::vector<Contender> theirs = bench.competitors.of(operands);
    check(ours, theirs);
    row.hasCompetitor = !theirs.empty();
    if (!row.hasCompetitor) {
      row.oursCold.median = timer.cold(ours, roundMilliseconds);
      row.oursHot.median = timer.hot(ours, roundMilliseconds);
      return;
    }
    best = fastest(timer, theirs);
    row.competitorHot = best.hot.name;
    row.competitorCold = best.cold.name;
    for (int round = 0; round < bench.rounds; ++round)
      takeTurns(ours);
    row.oursCold = summary(oursCold), row.theirsCold = summary(theirsCold);
    row.oursHot = summary(oursHot), row.theirsHot = summary(theirsHot);
    row.coldRatio = summary(theirsCold, oursCold);
    row.hotRatio = summary(theirsHot, oursHot);
  }

private:
  void check(const Contender &ours, const std::vector<Contender> &theirs) {
    const std::vector<float> result = operands.resultOf(timer, ours);
    row.fromTruth = operands.fromTruth(result);
    row.wrong = !isRight(row.fromTruth, bench.types);
    if (theirs.empty())
      return;
    const std::vector<float> other = operands.resultOf(timer, theirs.front());
    row.competitorFromTruth = operands.fromTruth(other);
    row.fromCompetitor = difference(result, other);
    row.wrong |= !isRight(row.fromCompetitor, bench.types);
  }

  void takeTurns(const Contender &ours) {
    inTurns(ours, best.cold, &Timer::cold, oursCold, theirsCold);
    inTurns(ours, best.hot, &Timer::hot, oursHot, theirsHot);
  }

  /// Clocks follow what the card has done before: after a lead-in of the same
  /// kind each comes first once.
  void inTurns(const Contender &ours, const Contender &theirs,
               double (Timer::*time)(const Contender &, double),
               std::vector<double> &oursTimes,
               std::vector<double> &theirsTimes) {
    auto measure = [&](const Contender &contender) {
      return (timer.*time)(contender, roundMilliseconds);
    };
    measure(theirs);
    const double first = measure(ours), second = measure(theirs);
    const double third = measure(theirs), fourth = measure(ours);
    oursTimes.push_back((first + fourth) / 2);
    theirsTimes.push_back((second + third) / 2);
  }

  GemmBench &bench;
  Timer &timer;
  GemmOperands operands;
  GemmRow &row;
  FastestContenders best;
  std::vector<double> oursCold, theirsCold, oursHot, theirsHot;
};

} // namespace

Contender ourGemm(GemmBench &bench, GemmOperands &operands,
                  const GemmConfig &config) {
  Module &module = bench.kernels.get(bench.types, config);
  return {"our '" + config.str() + "' on " + str(operands.sizes()),
          [&module, arguments = operands.arguments(config)](Stream &stream) {
            module.launch(arguments, stream);
          }};
}

FastestContenders fastest(Timer &timer,
                          const std::vector<Contender> &contenders) {
  FastestContenders best;
  double cold = INFINITY, hot = INFINITY;
  for (const Contender &contender : contenders)
    try {
      const double hotHere = timer.hot(contender, screeningMilliseconds);
      const double coldHere = timer.cold(contender, screeningMilliseconds);
      if (hotHere < hot)
        hot = hotHere, best.hot = contender;
      if (coldHere < cold)
        cold = coldHere, best.cold = contender;
    } catch (const Error &) {
      // The next one may be launched.
    }
  if (!best.hot.launch)
    throw Error("no competitor computes it");
  return best;
}

GemmRow compareGemm(GemmBench &bench, const GemmShape &shape,
                    const GemmConfig &config) {
  GemmRow row;
  row.shape = shape;
  row.configuration = config.str();
  try {
    Comparison(bench, row).run(config);
  } catch (const Error &error) {
    row.refusal = error.what();
  }
  return row;
}

} // namespace ashlar::bench
