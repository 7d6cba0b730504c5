// How far the result of a GEMM is from another.
#pragma once

#include "ashlar/gemm.h"

#include <cstdint>
#include <vector>

namespace ashlar::bench {

struct Difference {
  /// The norm of the difference over that of the reference.
  double relative = 0;
  /// The largest |result - reference| / (|reference| + root mean square of the
  /// references): what a single wrong element shows in.
  double largest = 0;
};

/// Gathers a difference, an element or a part at a time.
class DifferenceSums {
public:
  /// `scale` is the root mean square of the references.
  void add(double value, double reference, double scale);
  void add(const DifferenceSums &other);
  Difference difference() const;

private:
  double error = 0, norm = 0, largest = 0;
};

/// Compares all elements of two results.
Difference difference(const std::vector<float> &result,
                      const std::vector<float> &reference);

/// Whether a result is as near to another as the types allow.
bool isRight(const Difference &difference, const GemmTypes &types);

} // namespace ashlar::bench
