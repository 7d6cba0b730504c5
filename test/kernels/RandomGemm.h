// GEMMs of the library that nobody picked: types, configuration, form and sizes
// drawn from a seed.
#ifndef ASHLAR_TEST_KERNELS_RANDOMGEMM_H
#define ASHLAR_TEST_KERNELS_RANDOMGEMM_H

#include "ashlar/gemm.h"
#include "ashlar/problem.h"

#include <string>
#include <vector>

namespace ashlar::test {

struct RandomGemm {
  GemmTypes types;
  GemmConfig config;
  GemmForm form;
  std::vector<NamedSize> sizes;

  std::string str() const;
};

/// A configuration that `gemm_candidates` has for some problem, as it is or
/// changed in ways that `why_not` has nothing against, for a problem of other
/// sizes: of 1 to 16, primes, whole tiles and one more or less, or anything; K
/// may be deep. Smaller in the simulator.
RandomGemm drawGemm(uint64_t seed);

} // namespace ashlar::test

#endif
