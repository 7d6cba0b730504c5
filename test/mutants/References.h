// What the kernels compute, in double.
#ifndef ASHLAR_TEST_MUTANTS_REFERENCES_H
#define ASHLAR_TEST_MUTANTS_REFERENCES_H

#include "ashlar/problem.h"

#include <vector>

namespace ashlar::test {

/// An element of a result, and the sum of its terms' magnitudes.
struct Expected {
  double value = 0, magnitude = 0;
};

/// A · Bᵀ, in row-major order.
std::vector<Expected> product(const Problem &problem);
/// softmax(Q · Kᵀ / sqrt(d)) · V of each head, in row-major order.
std::vector<Expected> weightedSums(const Problem &problem);

/// The largest error of the result's elements, by their magnitudes.
double worstError(const std::vector<Expected> &expected,
                  const HostTensor &result);

} // namespace ashlar::test

#endif
