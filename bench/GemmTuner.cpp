#include "bench/GemmTuner.h"

#include "bench/GemmChoice.h"

#include <algorithm>
#include <cstdio>

namespace ashlar::bench {

namespace {

/// Candidates that are measured again, in turns, and how often.
constexpr size_t finalists = 5;
constexpr int finalRounds = 5;
/// What a measurement may take on the device.
constexpr double firstMilliseconds = 8, finalMilliseconds = 20;
/// After so many candidates the first is measured again, to see what has become
/// of the clocks.
constexpr int candidatesBetweenReferences = 3;

} // namespace

std::optional<double> TuningResult::regret() const {
  if (!best || !modelTime)
    return std::nullopt;
  return modelTime->score() / best->time.score();
}

void GemmTuner::drop(const GemmConfig &config, const std::string &reason) {
  const std::string text =
      shortName(bench.types) + " '" + config.str() + "' is dropped: " + reason;
  if (said.insert(text).second)
    std::printf("  %s\n", text.c_str());
}

/// The candidates of one problem.
class GemmTuner::Search {
public:
  Search(GemmTuner &tuner, const GemmShape &shape)
      : tuner(tuner), bench(tuner.bench), sizes(shape.sizes),
        operands(bench.device, bench.types, sizes) {
    const std::vector<Contender> theirs = bench.competitors.of(operands);
    if (!theirs.empty())
      reference = operands.resultOf(bench.timer, theirs.front());
  }

  TuningResult run() {
    TuningResult result;
    std::vector<GemmConfig> configs =
        tuningCandidates(sizes, bench.types, tuner.candidates, tuner.avoided);
    if (configs.empty())
      return result;
    result.model = configs.front();
    measureAll(configs);
    if (!trials.empty())
      measureAll(
          neighbours(sizes, bench.types, trials.front().config, tuner.avoided));
    decide(result);
    return result;
  }

private:
  struct Trial {
    GemmConfig config;
    Contender contender;
    GemmTime time;
  };

  void measureAll(const std::vector<GemmConfig> &configs) {
    bench.kernels.compile(bench.types, configs);
    for (const GemmConfig &config : configs)
      if (tried.insert(config.str()).second)
        measure(config);
    std::ranges::stable_sort(
        trials, {}, [](const Trial &trial) { return trial.time.score(); });
  }

  void measure(const GemmConfig &config) {
    try {
      Trial trial{config, ourGemm(bench, operands, config), {}};
      if (const std::string reason = wrongness(trial.contender);
          !reason.empty())
        throw Error(reason);
      time(trial);
      trials.push_back(std::move(trial));
    } catch (const Error &error) {
      tuner.drop(config, error.what());
      ++dropped;
    }
  }

  /// How the result differs from what is right; empty if it does not.
  std::string wrongness(const Contender &contender) {
    const std::vector<uint16_t> result =
        operands.resultOf(bench.timer, contender);
    const Difference off = reference.empty() ? operands.fromTruth(result)
                                             : difference(result, reference);
    if (isRight(off, bench.types))
      return "";
    return "its result on " + str(sizes) + " is WRONG by " +
           std::to_string(off.largest);
  }

  /// Times are in the clocks that the first candidate was measured with.
  void time(Trial &trial) {
    if (first && ++sinceReference > candidatesBetweenReferences) {
      const GemmTime now = timeOf(*first);
      drift = {now.hot / atFirst.hot, now.cold / atFirst.cold};
      sinceReference = 0;
    }
    trial.time = timeOf(trial.contender);
    if (!first)
      first = trial.contender, atFirst = trial.time;
    trial.time.hot /= drift.hot;
    trial.time.cold /= drift.cold;
    tuner.measurements.add(bench.types, sizes, trial.config, trial.time);
  }

  GemmTime timeOf(const Contender &contender) {
    return {bench.timer.hot(contender, firstMilliseconds),
            bench.timer.cold(contender, firstMilliseconds)};
  }

  /// The first few, and the model's choice, in turns.
  void decide(TuningResult &result) {
    result.measured = trials.size();
    result.dropped = dropped;
    if (trials.empty())
      return;
    std::vector<Trial> last(trials.begin(),
                            trials.begin() + static_cast<ptrdiff_t>(std::min(
                                                 finalists, trials.size())));
    const auto isModel = [&](const Trial &trial) {
      return trial.config == result.model;
    };
    if (std::ranges::none_of(last, isModel))
      if (auto at = std::ranges::find_if(trials, isModel); at != trials.end())
        last.push_back(*at);
    measureInTurns(last);
    const auto best = std::ranges::min_element(
        last, {}, [](const Trial &trial) { return trial.time.score(); });
    result.best = {best->config, best->time};
    if (auto at = std::ranges::find_if(last, isModel); at != last.end())
      result.modelTime = at->time;
  }

  void measureInTurns(std::vector<Trial> &last) {
    std::vector<std::vector<double>> hot(last.size()), cold(last.size());
    for (int round = 0; round < finalRounds; ++round)
      for (size_t i = 0; i < last.size(); ++i) {
        hot[i].push_back(bench.timer.hot(last[i].contender, finalMilliseconds));
        cold[i].push_back(
            bench.timer.cold(last[i].contender, finalMilliseconds));
      }
    for (size_t i = 0; i < last.size(); ++i)
      last[i].time = {relativeMedian(hot[i], hot[0]),
                      relativeMedian(cold[i], cold[0])};
  }

  /// The median of what the rounds say of one against another, in the other's
  /// median time: clocks drift from round to round.
  static double relativeMedian(const std::vector<double> &rounds,
                               const std::vector<double> &others) {
    std::vector<double> quotients;
    for (size_t i = 0; i < rounds.size(); ++i)
      quotients.push_back(rounds[i] / others[i]);
    return median(quotients) * median(others);
  }

  GemmTuner &tuner;
  GemmBench &bench;
  GemmSizes sizes;
  GemmOperands operands;
  std::vector<uint16_t> reference;
  std::vector<Trial> trials; // after measureAll the fastest first
  std::set<std::string> tried;
  std::optional<Contender> first;
  GemmTime atFirst, drift{1, 1};
  int sinceReference = 0;
  size_t dropped = 0;
};

TuningResult GemmTuner::tune(const GemmShape &shape) {
  TuningResult result = Search(*this, shape).run();
  result.shape = shape;
  return result;
}

} // namespace ashlar::bench
