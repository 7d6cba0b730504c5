// A GEMM's matrices on the device, random normal, and what is known of the
// result.
#pragma once

#include "ashlar/gemm.h"
#include "ashlar/module.h"
#include "bench/GemmPointers.h"

#include <vector>

namespace ashlar::bench {

/// How far a result is from another.
struct Difference {
  /// The norm of the difference over that of the reference.
  double relative = 0;
  /// The largest |result - reference| / (|reference| + root mean square of the
  /// references): what a single wrong element shows in.
  double largest = 0;
};

class GemmOperands {
public:
  /// Allocates the matrices and fills A and B. D must be bf16.
  GemmOperands(Device &device, const GemmTypes &types, const GemmSizes &sizes);

  /// What the kernel of `gemm` is launched on.
  std::vector<NamedArgument> arguments() const;
  GemmPointers pointers() const;
  const GemmSizes &sizes() const { return extents; }

  /// Makes every element of D a NaN.
  void clearResult();
  /// The elements of D as they are on the device, row-major.
  std::vector<uint16_t> result() const;

  /// Compares some hundred elements, corners and edges among them, with sums in
  /// double of the same inputs.
  Difference fromTruth(const std::vector<uint16_t> &result) const;

private:
  double truth(int64_t row, int64_t column) const;

  GemmTypes types;
  GemmSizes extents;
  std::vector<std::byte> hostA, hostB;
  Buffer a, b, d, workspace;
};

/// Compares every element.
Difference difference(const std::vector<uint16_t> &result,
                      const std::vector<uint16_t> &reference);

} // namespace ashlar::bench
