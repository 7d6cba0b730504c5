// What a tuner measured, candidate by candidate, as comma-separated values.
#pragma once

#include "ashlar/gemm.h"

#include <cstdio>
#include <string>
#include <vector>

namespace ashlar::bench {

/// Microseconds of one launch.
struct GemmTime {
  double hot = 0, cold = 0;

  /// What is to be small: both count alike.
  double score() const;
};

/// What one configuration took.
struct GemmSample {
  GemmTypes types;
  GemmSizes sizes;
  GemmConfig config;
  GemmTime time;
  /// Whether the model can choose it: a tuner also tries what differs from the
  /// fastest candidate by what is set by rules.
  bool isCandidate = true;
};

/// Reads files that `GemmMeasurements` writes: of a configuration that was
/// timed again, the last times. Says which can no longer be built, and leaves
/// them out. Throws `Error`, with the file's line, for all else.
std::vector<GemmSample> readMeasurements(const std::vector<std::string> &paths);

class GemmMeasurements {
public:
  /// Appends to the file; without a path nothing is written. Throws `Error`
  /// when the file can't be written or has other columns.
  explicit GemmMeasurements(const std::string &path);
  ~GemmMeasurements();
  GemmMeasurements(const GemmMeasurements &) = delete;

  /// `theirs`: the fastest competitor's, in turns with it; zeros without one.
  void add(const GemmTypes &types, const GemmSizes &sizes,
           const GemmConfig &config, const GemmTime &time,
           const GemmTime &theirs);

private:
  std::FILE *file = nullptr;
};

} // namespace ashlar::bench
