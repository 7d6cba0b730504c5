// One row: our GEMM and the best competitor on one problem, checked and timed
// in turns.
#pragma once

#include "bench/Competitors.h"
#include "bench/GemmKernels.h"
#include "bench/GemmShapes.h"

#include <string>

namespace ashlar::bench {

/// Over several rounds; times are in microseconds.
struct Measurement {
  double median = 0;
  /// (largest - smallest) / median.
  double spread = 0;
};

/// Of the competitors the fastest counts, cold and hot each.
struct GemmRow {
  GemmShape shape;
  std::string configuration, competitorCold, competitorHot;
  Measurement oursCold, theirsCold, oursHot, theirsHot;
  /// Our speed over theirs, measured one after the other: above 1 ours is
  /// faster. Clocks drift from round to round, and both times with them.
  Measurement coldRatio, hotRatio;
  Difference fromTruth, fromCompetitor, competitorFromTruth;
  /// Why there is no measurement: the configuration was refused, or no
  /// competitor could be launched; else empty.
  std::string refusal;
  /// Whether some competitor takes the problem; else only ours is timed.
  bool hasCompetitor = false;
  bool wrong = false;
};

/// What every measurement of GEMM is made with.
struct GemmBench {
  Device &device;
  Timer &timer;
  GemmKernels &kernels;
  Competitors &competitors;
  GemmTypes types;
  int rounds;
};

/// Our kernel of a configuration on operands, which must outlive it. Throws
/// `Error` where it is refused.
Contender ourGemm(GemmBench &bench, GemmOperands &operands,
                  const GemmConfig &config);

/// The fastest of some contenders, cold and hot each.
struct FastestContenders {
  Contender cold, hot;
};

/// Throws `Error` where none can be launched: not every heuristic of a library
/// is one that can.
FastestContenders fastest(Timer &timer,
                          const std::vector<Contender> &contenders);

GemmRow compareGemm(GemmBench &bench, const GemmShape &shape,
                    const GemmConfig &config);

} // namespace ashlar::bench
