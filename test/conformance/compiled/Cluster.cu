// A cluster that exchanges through distributed shared memory, then a ticket of
// the grid: the block that comes last sums what all of them left.
#include <cooperative_groups.h>
#include <cstdint>

namespace groups = cooperative_groups;

namespace {

constexpr int threads = 128;

__device__ uint32_t remoteAddress(const void *local, uint32_t rank) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(local));
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(remote)
      : "r"(address), "r"(rank));
  return remote;
}

} // namespace

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(threads)
    kernel(const int32_t *in, int64_t *partial, uint32_t *ticket,
           int64_t *result, int32_t *exchanged) {
  __shared__ int32_t values[threads];
  __shared__ uint32_t collected[4];
  __shared__ bool isLast;
  __shared__ int64_t warpSums[threads / 32];
  groups::cluster_group cluster = groups::this_cluster();
  groups::thread_block block = groups::this_thread_block();
  const unsigned rank = cluster.block_rank(), size = cluster.num_blocks();
  const unsigned index = blockIdx.x * threads + threadIdx.x;
  values[threadIdx.x] = in[index];
  if (threadIdx.x < 4)
    collected[threadIdx.x] = 0;
  cluster.sync();

  // Each element from the next block and its mirror image from the previous.
  const int32_t *next = cluster.map_shared_rank(values, (rank + 1) % size);
  int32_t mirrored;
  asm volatile("ld.shared::cluster.s32 %0, [%1];"
               : "=r"(mirrored)
               : "r"(remoteAddress(values + threads - 1 - threadIdx.x,
                                   (rank + size - 1) % size))
               : "memory");
  const int32_t together = next[threadIdx.x] * 3 - mirrored;
  exchanged[index] = together;
  atomicAdd(cluster.map_shared_rank(collected, together & 3) + rank,
            static_cast<uint32_t>(together));
  cluster.sync();

  int64_t sum = values[threadIdx.x] + int64_t(collected[threadIdx.x % 4]);
  auto tile = groups::tiled_partition<32>(block);
  for (int distance = tile.size() / 2; distance; distance /= 2)
    sum += tile.shfl_down(sum, distance);
  if (tile.thread_rank() == 0)
    warpSums[tile.meta_group_rank()] = sum;
  block.sync();
  if (threadIdx.x == 0) {
    int64_t all = 0;
    for (int64_t each : warpSums)
      all += each;
    partial[blockIdx.x] = all;
    __threadfence();
    isLast = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  block.sync();
  if (!isLast || threadIdx.x != 0)
    return;
  __threadfence();
  int64_t all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i)
    all = all * 3 + partial[i];
  *result = all;
}
