// GEMMs of the library that nobody picked: types, configuration, form and sizes
// drawn from a seed.
#ifndef ASHLAR_TEST_KERNELS_RANDOMGEMM_H
#define ASHLAR_TEST_KERNELS_RANDOMGEMM_H

#include "test/kernels/GemmCase.h"

#include <cstdint>

namespace ashlar::test {

/// A configuration that `gemm_candidates` has for some problem, as it is or
/// changed in ways that `why_not` has nothing against, for a problem of other
/// sizes: of 1 to 16, primes, whole tiles and one more or less, or anything; K
/// may be deep. Smaller in the simulator.
GemmCase drawGemm(uint64_t seed);

} // namespace ashlar::test

#endif
