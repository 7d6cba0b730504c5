#include "bench/GemmTuner.h"

#include "bench/GemmChoice.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

namespace ashlar::bench {

namespace {

/// How often all candidates are timed, then the neighbours of the fastest of
/// them, then the fastest of all.
constexpr int firstRounds = 2, finalRounds = 5;
constexpr size_t finalists = 5;
/// What a measurement may take on the device.
constexpr double firstMilliseconds = 8, finalMilliseconds = 20;

} // namespace

std::optional<double> TuningResult::regret() const {
  if (!bestCandidate || !modelTime)
    return std::nullopt;
  return modelTime->score() / bestCandidate->score();
}

void GemmTuner::drop(const GemmConfig &config, const std::string &reason) {
  const std::string text =
      shortName(bench.types) + " '" + config.str() + "' is dropped: " + reason;
  if (said.insert(text).second)
    std::printf("  %s\n", text.c_str());
}

/// The candidates of one problem, and the competitor.
class GemmTuner::Search {
public:
  Search(GemmTuner &tuner, const GemmShape &shape)
      : tuner(tuner), bench(tuner.bench), sizes(shape.sizes),
        operands(bench.device, bench.types, sizes) {
    const std::vector<Contender> contenders = bench.competitors.of(operands);
    if (contenders.empty())
      return;
    reference = operands.resultOf(bench.timer, contenders.front());
    const FastestContenders best = fastest(bench.timer, contenders);
    theirs = Trial{{}, best.hot, best.cold, {}};
  }

  TuningResult run() {
    TuningResult result;
    const std::vector<GemmConfig> configs =
        tuningCandidates(sizes, bench.types, tuner.candidates, tuner.avoided);
    if (configs.empty())
      return result;
    result.model = configs.front();
    kept = {result.model};
    add(configs);
    add(tuner.also);
    measureInTurns(firstRounds, firstMilliseconds);
    record();
    auto isCandidate = [&](const Trial &trial) {
      return std::ranges::count(configs, trial.config) > 0;
    };
    keepFastest();
    if (auto first = std::ranges::find_if(trials, isCandidate);
        first != trials.end())
      kept.push_back(first->config);
    if (!trials.empty())
      add(neighbours(sizes, bench.types, trials.front().config, tuner.avoided));
    measureInTurns(firstRounds, firstMilliseconds);
    record();
    keepFastest();
    measureInTurns(finalRounds, finalMilliseconds);
    record();
    keepFastest();
    if (!trials.empty())
      result.best = {trials.front().config, trials.front().time};
    if (theirs)
      result.theirs = theirs->time;
    if (auto first = std::ranges::find_if(trials, isCandidate);
        first != trials.end())
      rematch(result, first->config);
    result.measured = tried.size() - dropped;
    result.dropped = dropped;
    return result;
  }

private:
  /// Of several that are as fast the one that was measured fastest was lucky:
  /// the fastest candidate and the model's choice are timed anew, for the
  /// regret alone.
  void rematch(TuningResult &result, GemmConfig candidate) {
    std::erase_if(trials, [&](const Trial &trial) {
      return trial.config != result.model && trial.config != candidate;
    });
    if (trials.size() > 1)
      measureInTurns(finalRounds, finalMilliseconds);
    for (const Trial &trial : trials) {
      if (trial.config == result.model)
        result.modelTime = trial.time;
      if (trial.config == candidate)
        result.bestCandidate = trial.time;
    }
  }

  struct Trial {
    GemmConfig config; ///< None of the competitor's.
    Contender hot, cold;
    GemmTime time;
  };

  /// Those that have not been tried yet.
  void add(const std::vector<GemmConfig> &configs) {
    std::vector<GemmVariant> variants;
    for (const GemmConfig &config : configs)
      variants.push_back({bench.types, config});
    bench.kernels.compile(variants);
    for (const GemmConfig &config : configs)
      if (tried.insert(config.str()).second)
        add(config);
  }

  void add(const GemmConfig &config) {
    try {
      const Contender ours = ourGemm(bench, operands, config);
      if (const std::string reason = wrongness(ours); !reason.empty())
        throw Error(reason);
      trials.push_back({config, ours, ours, {}});
    } catch (const Error &error) {
      tuner.drop(config, error.what());
      ++dropped;
    }
  }

  /// How the result differs from what is right; empty if it does not.
  std::string wrongness(const Contender &contender) {
    const std::vector<float> result = operands.resultOf(bench.timer, contender);
    const Difference off = reference.empty() ? operands.fromTruth(result)
                                             : difference(result, reference);
    if (isRight(off, bench.types))
      return "";
    return "its result on " + str(sizes) + " is WRONG by " +
           std::to_string(off.largest);
  }

  /// The fastest, and those that are kept.
  void keepFastest() {
    std::ranges::stable_sort(
        trials, {}, [](const Trial &trial) { return trial.time.score(); });
    size_t rank = 0;
    std::erase_if(trials, [&](const Trial &trial) {
      return rank++ >= finalists && !isKept(trial);
    });
  }
  bool isKept(const Trial &trial) const {
    return std::ranges::count(kept, trial.config) > 0;
  }

  /// Times all that are left, and the competitor, in rounds of random order:
  /// clocks follow what the card has done before.
  void measureInTurns(int rounds, double milliseconds) {
    std::vector<Trial *> all;
    for (Trial &trial : trials)
      all.push_back(&trial);
    if (theirs)
      all.push_back(&*theirs);
    std::vector<std::vector<double>> hot(all.size()), cold(all.size());
    for (int round = 0; round < rounds; ++round) {
      for (size_t i : shuffled(all.size()))
        hot[i].push_back(bench.timer.hot(all[i]->hot, milliseconds));
      for (size_t i : shuffled(all.size()))
        cold[i].push_back(bench.timer.cold(all[i]->cold, milliseconds));
    }
    for (size_t i = 0; i < all.size(); ++i)
      all[i]->time = {median(hot[i]), median(cold[i])};
  }

  void record() {
    for (const Trial &trial : trials)
      tuner.measurements.add(bench.types, sizes, trial.config, trial.time,
                             theirs ? theirs->time : GemmTime());
  }

  std::vector<size_t> shuffled(size_t count) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    return order;
  }

  GemmTuner &tuner;
  GemmBench &bench;
  GemmSizes sizes;
  GemmOperands operands;
  std::vector<float> reference;
  std::optional<Trial> theirs;
  std::vector<Trial> trials;
  /// The model's choice, and the fastest candidate.
  std::vector<GemmConfig> kept;
  std::set<std::string> tried;
  std::mt19937 random;
  size_t dropped = 0;
};

TuningResult GemmTuner::tune(const GemmShape &shape) {
  TuningResult result = Search(*this, shape).run();
  result.shape = shape;
  return result;
}

} // namespace ashlar::bench
