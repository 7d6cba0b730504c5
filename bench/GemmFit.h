// The constants of the model of a GEMM's cost, fitted to what was measured.
#pragma once

#include "bench/GemmMeasurements.h"

#include "ashlar/gemm_cost.h"

#include <span>
#include <string_view>
#include <vector>

namespace ashlar::bench {

/// How far a model is from what was measured.
struct GemmFitness {
  /// Of the logarithms of its times, within each problem: the root of the mean
  /// square of how far they are off, fast configurations counting most, and
  /// what all of a problem have in common counting little.
  double error = 0;
  /// How many times as long its choices take as the fastest candidate that was
  /// measured: geometric mean, and the worst.
  double regret = 1, worstRegret = 1;
  /// The mean logarithm of the regret, each candidate counting as may be the
  /// best were a time uncertain by what measurements are; 0 where the model is
  /// right.
  double choiceLoss = 0;
  size_t problems = 0;
};

GemmFitness fitness(std::span<const GemmSample> samples, const GpuModel &model);

struct FittedConstant {
  std::string_view name;
  double before, after;
  /// The error without what it stands for: where it is 0, or a rate infinite,
  /// and the others are as they are after.
  double errorWithout;
};

struct GemmFit {
  GpuModel model;
  std::vector<FittedConstant> constants;
};

/// Changes one constant at a time, by smaller and smaller steps, as long as the
/// error and what choices lose fall by more than is against it: the fewer
/// problems there are, the more each constant is believed as it is.
GemmFit fitModel(std::span<const GemmSample> samples, const GpuModel &start);

/// The samples of all problems but every third, and of these.
struct HeldOut {
  std::vector<GemmSample> known, unknown;
};
HeldOut holdOut(std::span<const GemmSample> samples);

} // namespace ashlar::bench
