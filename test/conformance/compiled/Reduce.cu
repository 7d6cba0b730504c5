// Reductions of warps by shuffles and redux, and of blocks through shared
// memory, for several types.
#include <cstdint>

namespace {

struct Sum {
  template <class T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Minimum {
  template <class T> __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T> __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <class T, class Operation>
__device__ T warpReduce(T value, Operation operation) {
  for (int distance = 16; distance; distance /= 2)
    value =
        operation(value, static_cast<T>(__shfl_xor_sync(~0u, value, distance)));
  return value;
}

/// Every thread of the block gets the result.
template <class T, class Operation>
__device__ T blockReduce(T value, T neutral, Operation operation) {
  __shared__ T partial[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  value = warpReduce(value, operation);
  if (lane == 0)
    partial[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? partial[lane] : neutral;
  value = warpReduce(value, operation);
  __syncthreads();
  return value;
}

/// The sum of the values of this lane and of those before it.
template <class T> __device__ T inclusiveScan(T value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T other = __shfl_up_sync(~0u, value, distance);
    if (lane >= distance)
      value += other;
  }
  return value;
}

} // namespace

extern "C" __global__ void kernel(const int32_t *in, int64_t *blocks,
                                  int32_t *warps, double *floats,
                                  uint32_t *lanes) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const int32_t value = in[index];

  const int64_t sum = blockReduce(int64_t(value), int64_t(0), Sum());
  const int32_t least = blockReduce(value, INT32_MAX, Minimum());
  const uint32_t most = blockReduce(uint32_t(value), 0u, Maximum());
  const int16_t narrow =
      blockReduce(int16_t(value), int16_t(INT16_MIN), Maximum());
  if (threadIdx.x == 0) {
    blocks[blockIdx.x * 4 + 0] = sum;
    blocks[blockIdx.x * 4 + 1] = least;
    blocks[blockIdx.x * 4 + 2] = most;
    blocks[blockIdx.x * 4 + 3] = narrow;
  }

  // Small integers: sums are exact in every order.
  const auto small = static_cast<float>(value % 1024);
  const float single = blockReduce(small, 0.f, Sum());
  const double precise = blockReduce(double(value), 0.0, Sum());
  const float greatest = blockReduce(small, -1e30f, Maximum());
  if (threadIdx.x == blockDim.x - 1) {
    floats[blockIdx.x * 3 + 0] = single;
    floats[blockIdx.x * 3 + 1] = precise;
    floats[blockIdx.x * 3 + 2] = greatest;
  }

  int32_t *warp = warps + index / 32 * 8;
  const unsigned bits = static_cast<unsigned>(value);
  const int32_t results[] = {
      __reduce_add_sync(~0u, value),
      __reduce_min_sync(~0u, value),
      __reduce_max_sync(~0u, value),
      static_cast<int32_t>(__reduce_and_sync(~0u, bits | 0xff00u)),
      static_cast<int32_t>(__reduce_or_sync(~0u, bits & 0xf0f0f0f0u)),
      static_cast<int32_t>(__reduce_xor_sync(~0u, bits)),
      static_cast<int32_t>(__ballot_sync(~0u, value > 0)),
      __popc(__match_any_sync(~0u, value & 3)),
  };
  for (unsigned i = 0; i < 8; ++i)
    if (lane == 31 - i)
      warp[i] = results[i];

  // Half of the lanes apart from the others.
  const unsigned scan = inclusiveScan(bits);
  if (lane & 1)
    lanes[index] = scan + __reduce_add_sync(0xaaaaaaaau, bits & 0xff) +
                   __shfl_sync(0xaaaaaaaau, bits, 5, 16);
  else
    lanes[index] = scan ^ __reduce_max_sync(0x55555555u, bits) ^
                   __shfl_down_sync(0x55555555u, bits, 2, 8);
}
