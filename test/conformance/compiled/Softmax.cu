// Softmax of rows, normalisation of rows, Newton's iteration in double
// precision, and arithmetic on packed halves.
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

constexpr int columns = 96;

template <class Operation>
__device__ float reduce(float value, Operation operation) {
  for (int distance = 16; distance; distance /= 2)
    value = operation(value, __shfl_xor_sync(~0u, value, distance));
  return value;
}

__device__ double squareRoot(double value) {
  double estimate = rsqrtf(static_cast<float>(value));
  for (int i = 0; i < 4; ++i)
    estimate = estimate * (1.5 - 0.5 * value * estimate * estimate);
  return value * estimate;
}

__device__ double reciprocal(double value) {
  double estimate = 1.0f / static_cast<float>(value);
  for (int i = 0; i < 3; ++i)
    estimate = fma(estimate, fma(-value, estimate, 1.0), estimate);
  return estimate;
}

} // namespace

/// A warp for each row.
extern "C" __global__ void kernel(const float *in, float *soft,
                                  float *normalised, double *roots,
                                  double *divided, __half2 *halves,
                                  __nv_bfloat162 *bfloats, float *functions) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  const float *x = in + row * columns;
  float greatest = -INFINITY, sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 32)
    greatest = fmaxf(greatest, x[i]);
  greatest = reduce(greatest, [](float a, float b) { return fmaxf(a, b); });
  for (int i = lane; i < columns; i += 32) {
    sum += expf(x[i] - greatest);
    squares += x[i] * x[i];
  }
  const auto add = [](float a, float b) { return a + b; };
  sum = reduce(sum, add);
  squares = reduce(squares, add);
  for (int i = lane; i < columns; i += 32) {
    const int at = row * columns + i;
    soft[at] = exp2f((x[i] - greatest) * 1.44269504f) / sum;
    normalised[at] = x[i] * rsqrtf(squares / columns + 1e-5f);
  }

  const int index = row * 32 + lane;
  const float value = x[lane];
  roots[index] = squareRoot(fabs(double(value)) + 0.01);
  divided[index] = reciprocal(value + 10.0) + sqrt(double(index)) / 7.0;

  const __half2 h = __floats2half2_rn(value, x[lane + 32]);
  const __half2 g = __halves2half2(__float2half(0.5f), __float2half(-1.25f));
  halves[index * 3] = __hfma2(h, g, __hmul2(h, h));
  halves[index * 3 + 1] = __hmax2(__hsub2(h, g), __hneg2(h));
  halves[index * 3 + 2] = __hlt(__low2half(h), __high2half(h))
                              ? __lowhigh2highlow(h)
                              : __hadd2_sat(h, __habs2(g));
  const __nv_bfloat162 b = __floats2bfloat162_rn(value, x[lane + 64]);
  const __nv_bfloat162 c = __float2bfloat162_rn(1.5f);
  bfloats[index * 2] = __hfma2(b, c, __hadd2(b, b));
  bfloats[index * 2 + 1] = __hmin2(__hmul2(b, c), __habs2(b));

  float *function = functions + index * 8;
  function[0] = __expf(value);
  function[1] = log2f(fabsf(value) + 0.5f);
  function[2] = sinf(value) * cosf(value);
  function[3] = tanhf(value);
  function[4] = powf(fabsf(value), 1.7f);
  function[5] = __fdividef(value, fabsf(value) + 3);
  function[6] = fmodf(value, 0.75f) + floorf(value) + rintf(value);
  function[7] =
      sqrtf(fabsf(value)) + __frcp_rn(fabsf(value) + 2) + __saturatef(value);
}
