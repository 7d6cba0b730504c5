#include "test/mutants/Kernels.h"

namespace ashlar::test {

Kernel peerCopyGemm() {
  return kernel("gemm", [] {
    constexpr int64_t bm = 64, bn = 64, bk = 64, half = bn / 2;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {bm, bn});
    Pipeline ring = pipeline(2, smem(bf16, {bm, bk}));
    SharedTile own = shared(bf16, {half, bk}), both = shared(bf16, {bn, bk});

    role("load", warps(1), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(1), [&] {
      Index first = cluster_rank() * half;
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Fragment rows = load(B.at({n * bn + first, k * bk}), {half, bk});
          store(own, rows); // [store own half]
          for (Index rank : range(2))
            copy(own, // [copy own half]
                 slice(both.peer(rank), {first, 0}, {half, bk}));
          cluster_sync(); // [meet with both halves]
          Stage s = ring.wait();
          acc = mma(s[0], both.T(), acc); // [multiply both halves]
          ring.release(s);
          cluster_sync(); // [meet when multiplied]
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

} // namespace ashlar::test
