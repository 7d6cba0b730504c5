// fma.f32 for many values. Where the host has the instruction it is used; else
// the product is exact in f64, the sum is rounded to odd there, and rounding
// that to f32 gives what rounding once would.
#include "runtime/sim/machine/numbers/Formats.h"
#include "runtime/sim/machine/numbers/HostRounding.h"
#include "runtime/sim/machine/numbers/RoundToOdd.h"

#include <algorithm>

#if defined(__x86_64__)
#define ASHLAR_SIM_X86 1
#else
#define ASHLAR_SIM_X86 0
#endif

using namespace ashlar::sim;

namespace {

void portable(const float *a, const float *b, const float *c, float *out,
              size_t count, Rounding rounding) {
  constexpr size_t block = 64;
  for (size_t begin = 0; begin < count; begin += block) {
    size_t size = std::min(block, count - begin);
    double product[block], addend[block], sum[block];
    for (size_t index = 0; index < size; ++index) {
      product[index] = double(a[begin + index]) * double(b[begin + index]);
      addend[index] = c[begin + index];
      sum[index] = sumToOdd(product[index], addend[index]);
    }
    HostRounding mode(rounding);
    for (size_t index = 0; index < size; ++index) {
      // The sign of an exact zero depends on the mode.
      double zero = product[index] + addend[index];
      out[begin + index] =
          static_cast<float>(sum[index] == 0 ? zero : sum[index]);
    }
  }
}

#if ASHLAR_SIM_X86
__attribute__((target("avx2,fma"), noinline)) void
withInstruction(const float *a, const float *b, const float *c, float *out,
                size_t count) {
#pragma omp simd
  for (size_t index = 0; index < count; ++index)
    out[index] = __builtin_fmaf(a[index], b[index], c[index]);
}
#endif

} // namespace

void ashlar::sim::fusedMultiplyAdd(const float *a, const float *b,
                                   const float *c, float *out, size_t count,
                                   Rounding rounding) {
#if ASHLAR_SIM_X86
  static const bool hasInstruction =
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (hasInstruction && rounding == Rounding::nearestEven)
    return withInstruction(a, b, c, out, count);
  if (hasInstruction) {
    HostRounding mode(rounding);
    return withInstruction(a, b, c, out, count);
  }
#endif
  portable(a, b, c, out, count, rounding);
}
