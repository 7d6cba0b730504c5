// What the host checks a GEMM against.
#pragma once

#include "ashlar/tool.h"

namespace ashlar::examples {

/// Element (m, n) of A · Bᵀ, where A is M×K and B is N×K.
inline double dotProduct(const Problem &problem, std::span<const int64_t> at) {
  const HostTensor &a = problem["A"], &b = problem["B"];
  double sum = 0;
  for (int64_t k = 0; k < problem.size("K"); ++k)
    sum += a(at[0], k) * b(at[1], k);
  return sum;
}

inline double operations(const Problem &problem) {
  return 2.0 * problem.size("M") * problem.size("N") * problem.size("K");
}

} // namespace ashlar::examples
