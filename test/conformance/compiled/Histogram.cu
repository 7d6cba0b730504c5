// Histograms by atomics of shared and of global memory, and the atomic
// operations of the other types; floating-point sums are of integers, so that
// they are the same in every order.
#include <cstdint>

namespace {

/// The greatest value, by a loop over compare-and-swap.
__device__ void atomicGreatest(double *address, double value) {
  auto *bits = reinterpret_cast<unsigned long long *>(address);
  unsigned long long seen =
      *reinterpret_cast<volatile unsigned long long *>(bits);
  while (__longlong_as_double(seen) < value) {
    const unsigned long long expected = seen;
    seen = atomicCAS(bits, expected, __double_as_longlong(value));
    if (seen == expected)
      break;
  }
}

} // namespace

extern "C" __global__ void __launch_bounds__(128)
    kernel(const uint8_t *in, const int32_t *count, uint32_t *histogram,
           float *sums, double *totals, int64_t *extremes, uint32_t *others) {
  __shared__ uint32_t local[256];
  __shared__ float localSums[8];
  __shared__ uint32_t taken;
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  if (threadIdx.x < 8)
    localSums[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    taken = 0;
  __syncthreads();

  const int size = *count;
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step) {
    const uint8_t value = in[i];
    atomicAdd(local + value, 1u);
    atomicAdd(localSums + value % 8, static_cast<float>(value));
    if (value > 200)
      atomicAdd(histogram + 256 + value % 16, 1u); // directly
    if (value & 1)
      atomicInc(&taken, 16); // 0 follows 16
    atomicGreatest(totals + 1, value * 0.25 + i % 3);
  }
  __syncthreads();

  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i] != 0)
      atomicAdd(histogram + i, local[i]);
  if (threadIdx.x < 8) {
    atomicAdd(sums + threadIdx.x, localSums[threadIdx.x]);
    atomicAdd(totals, static_cast<double>(localSums[threadIdx.x]));
  }
  const uint32_t mine = local[threadIdx.x];
  atomicMin(reinterpret_cast<long long *>(extremes), -int64_t(mine) << 20);
  atomicMax(reinterpret_cast<long long *>(extremes + 1), int64_t(mine) << 33);
  atomicAdd(reinterpret_cast<unsigned long long *>(extremes + 2), mine);
  atomicOr(others, 1u << (mine % 32));
  atomicAnd(others + 1, ~(1u << (mine % 8)));
  atomicXor(others + 2, mine * threadIdx.x);
  atomicMax(reinterpret_cast<int32_t *>(others + 3), int32_t(mine) - 40);
  if (threadIdx.x == 0)
    atomicAdd(others + 6, taken << 4 * blockIdx.x);
  if (atomicExch(others + 4, 1u) == 0)
    atomicAdd(others + 5, 1u); // once in the grid
}
