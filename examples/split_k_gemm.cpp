// GEMM of few tiles and a long K (split-K): the CTAs of a cluster share each
// tile, every one has a part of K, and they add up through one another's shared
// memory.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel splitKGemm(int64_t parts) {
  return kernel("split_k_gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});

    cluster({parts, 1, 1});
    TileLoop tiles = persistent({parts, M, N}, {1, 128, 128});
    Pipeline ring = pipeline(5, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
    Index steps = ceil_div(K, 64), each = ceil_div(steps, parts);
    auto stepsOf = [&](Index part) {
      return range(part * each, min((part + 1) * each, steps));
    };

    role("load", warps(1), registers(40), [&] {
      for (auto [part, m, n] : tiles)
        for (Index k : stepsOf(part)) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [part, m, n] : tiles) {
        Fragment acc = zeros(f32, {128, 128});
        for (Index k : stepsOf(part)) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Fragment sum = cluster_sum(acc, 0); // this CTA's columns of it
        store(D.tile({m, n * parts + part}), convert(sum, bf16));
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, splitKGemm(4),
              {.sizes = {{"M", 512}, {"N", 512}, {"K", 16384}},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
