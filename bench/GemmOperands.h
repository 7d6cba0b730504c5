// A GEMM's matrices on the device, random normal, and what is known of the
// result.
#pragma once

#include "ashlar/gemm.h"
#include "ashlar/module.h"
#include "bench/GemmDifference.h"
#include "bench/GemmPointers.h"
#include "bench/Timer.h"

#include <map>
#include <string>
#include <vector>

namespace ashlar::bench {

class GemmOperands {
public:
  /// Allocates the matrices and fills A and B.
  GemmOperands(Device &device, const GemmTypes &types, const GemmSizes &sizes);

  /// What the kernel of `gemm` in a configuration is launched on. Its workspace
  /// is made when first asked for, and kept.
  std::vector<NamedArgument> arguments(const GemmConfig &config);
  GemmPointers pointers() const;
  const GemmSizes &sizes() const { return extents; }

  /// The elements of D after one launch, in the order of memory; NaN, or -1,
  /// where it wrote nothing.
  std::vector<float> resultOf(Timer &timer, const Contender &contender);

  /// Compares some hundred elements, corners and edges among them, with sums in
  /// double of the same inputs.
  Difference fromTruth(const std::vector<float> &result) const;

private:
  double truth(int64_t row, int64_t column) const;
  /// The shape in which a matrix is stored.
  static std::vector<int64_t> stored(int64_t rows, int64_t columns,
                                     bool isTransposed);

  Buffer &kernelWorkspace(const GemmWorkspace &tensor);

  Device &device;
  GemmTypes types;
  GemmSizes extents;
  std::vector<std::byte> hostA, hostB;
  Buffer a, b, d, workspace;
  std::map<std::string, Buffer> kernelWorkspaces; // by name and size
};

} // namespace ashlar::bench
