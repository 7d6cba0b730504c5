// C = A B^T in bf16 with sums in f32: a producer loads tiles by TMA into a ring
// of stages guarded by mbarriers, two warpgroups multiply by wgmma. No extent
// needs to be a multiple of its tile: TMA fills with zeros.
#include <cstdint>

struct Extents {
  int m, n, k;
};

struct alignas(64) TensorMap {
  uint64_t words[16];
};

namespace {

constexpr int tileM = 128, tileN = 64, tileK = 64, stages = 3;
constexpr int consumers = 256;
constexpr uint32_t bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2;
constexpr uint32_t stageBytes = bytesA + bytesB;

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void initialise(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(count));
}

__device__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
               : "memory");
}

__device__ void expect(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}

__device__ void wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{\n\t.reg .pred done;\n"
               "again:\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
               "@done bra finished;\n\tbra again;\n"
               "finished:\n\t}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

__device__ void load(uint32_t tile, const TensorMap &map, int k, int row,
                     uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
               "complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(tile),
               "l"(&map), "r"(k), "r"(row), "r"(barrier)
               : "memory");
}

/// Rows of 128 bytes, swizzled by 128; groups of 8 rows are 1024 bytes apart.
__device__ uint64_t descriptor(uint32_t address) {
  return (address >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(64) << 32 |
         uint64_t(1) << 62;
}

// clang-format off
#define FOUR(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])

__device__ void multiply(float (&sum)[32], uint64_t a, uint64_t b) {
  asm volatile("{\n\t.reg .pred add;\n\tsetp.ne.b32 add, 1, 0;\n\t"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
               "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
               "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, "
               "%26, %27, %28, %29, %30, %31}, %32, %33, add, 1, 1, 0, 0;\n\t}"
               : FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20),
                 FOUR(24), FOUR(28)
               : "l"(a), "l"(b));
}
// clang-format on

} // namespace

extern "C" __global__ void __launch_bounds__(consumers + 128)
    kernel(const uint16_t *, const uint16_t *, const Extents *extents, float *c,
           const __grid_constant__ TensorMap mapA,
           const __grid_constant__ TensorMap mapB) {
  extern __shared__ uint8_t storage[];
  __shared__ uint64_t full[stages], empty[stages];
  const uint32_t tiles = (sharedAddress(storage) + 1023) / 1024 * 1024;
  const auto [m, n, k] = *extents;
  const int tilesN = (n + tileN - 1) / tileN;
  const int firstM = blockIdx.x / tilesN * tileM;
  const int firstN = blockIdx.x % tilesN * tileN;
  const int steps = (k + tileK - 1) / tileK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < stages; ++i) {
      initialise(sharedAddress(full + i), 1);
      initialise(sharedAddress(empty + i), consumers);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  if (threadIdx.x >= consumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x != consumers)
      return;
    for (int step = 0; step < steps; ++step) {
      const int stage = step % stages;
      const uint32_t tile = tiles + stage * stageBytes;
      const uint32_t ready = sharedAddress(full + stage);
      wait(sharedAddress(empty + stage), (step / stages & 1) ^ 1);
      expect(ready, stageBytes);
      load(tile, mapA, step * tileK, firstM, ready);
      load(tile + bytesA, mapB, step * tileK, firstN, ready);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 200;");
  float sum[32] = {};
  const int group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4;
  for (int step = 0; step < steps; ++step) {
    const int stage = step % stages;
    const uint32_t tileA = tiles + stage * stageBytes + group * bytesA / 2;
    const uint32_t tileB = tiles + stage * stageBytes + bytesA;
    wait(sharedAddress(full + stage), step / stages & 1);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int part = 0; part < tileK / 16; ++part)
      multiply(sum, descriptor(tileA + part * 32),
               descriptor(tileB + part * 32));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    arrive(sharedAddress(empty + stage));
  }
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 32; ++i) {
    const int row = firstM + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const int column = firstN + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < m && column < n)
      c[row * n + column] = sum[i];
  }
}
