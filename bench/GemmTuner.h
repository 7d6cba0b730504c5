// The search for the fastest configuration of GEMM on a problem.
#pragma once

#include "ashlar/gemm_table.h"
#include "bench/GemmComparison.h"
#include "bench/GemmMeasurements.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ashlar::bench {

struct TunedConfig {
  GemmConfig config;
  GemmTime time;
};

/// What came of one problem.
struct TuningResult {
  GemmShape shape;
  std::optional<TunedConfig> best;
  /// Of the fastest candidate of the model's, timed anew beside its choice;
  /// `best` may be a neighbour.
  std::optional<GemmTime> bestCandidate;
  /// The model's choice; without a time if it was dropped.
  GemmConfig model;
  std::optional<GemmTime> modelTime;
  /// Of the fastest competitor, if there is one.
  std::optional<GemmTime> theirs;
  size_t measured = 0, dropped = 0;

  /// The time of the model's choice over that of the fastest candidate: below
  /// 1 where that was faster by luck.
  std::optional<double> regret() const;
};

/// Measures candidates for a problem. One that is refused or computes something
/// else is dropped, with a line that says why.
class GemmTuner {
public:
  /// Times `candidates` of the model's, those that are to be timed also, and
  /// the neighbours of the fastest.
  GemmTuner(GemmBench &bench, size_t candidates, std::vector<GemmConfig> also,
            std::vector<std::string> avoided, GemmMeasurements &measurements)
      : bench(bench), candidates(candidates), also(std::move(also)),
        avoided(std::move(avoided)), measurements(measurements) {}

  TuningResult tune(const GemmShape &shape);

private:
  class Search;

  void drop(const GemmConfig &config, const std::string &reason);

  GemmBench &bench;
  size_t candidates;
  std::vector<GemmConfig> also;
  std::vector<std::string> avoided;
  GemmMeasurements &measurements;
  /// What has been said of a configuration is not said again.
  std::set<std::string> said;
};

} // namespace ashlar::bench
