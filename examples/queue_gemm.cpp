// Split-K whose parts come from a queue: whoever is done takes the next one,
// and the role that takes it tells the others through a pipeline.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

/// D += A · Bᵀ. Next is zero, and is left so.
Kernel queueGemm() {
  return kernel("queue_gemm", [] {
    constexpr int64_t bm = 128, bn = 128, bk = 64, depth = 16;
    Size M = size("M"), N = size("N"), K = size("K"), P = size("CTAs");
    Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
    Tensor next = inout("Next", s32, {1}, align(4));
    Tensor D = inout("D", f32, {M, N});
    TileLoop ctas = grid({P}, {1});
    Pipeline queue = pipeline(2, smem(s32, {1}));
    Pipeline ring = pipeline(4, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    SharedTile out = shared(f32, {bm, bn});
    // One at least of what is divided by.
    Index steps = ceil_div(K, bk), splits = max(ceil_div(steps, depth), 1);
    Index width = max(ceil_div(N, bn), 1),
          parts = ceil_div(M, bm) * width * splits;
    auto stepsOf = [&](Index part) {
      return range(
          part % splits * depth,
          select(part < parts, min((part % splits + 1) * depth, steps), 0));
    };

    role("load", warps(1), [&] {
      for ([[maybe_unused]] auto [p] : ctas)
        for (Index turn : range(parts + 1)) {
          Index part = atomic_add(next.at({0}), 1);
          Stage q = queue.acquire();
          store(q[0], full(s32, {1}, part));
          queue.commit(q);
          for (Index k : stepsOf(part)) {
            Stage s = ring.acquire();
            copy(A.tile({part / splits / width, k}), s[0]);
            copy(B.tile({part / splits % width, k}), s[1]);
            ring.commit(s);
          }
          when(part == parts + P - 1,
               [&] { atomic_exchange(next.at({0}), 0); });
          last_if(part >= parts);
        }
    });

    role("math", warpgroups(2), [&] {
      for ([[maybe_unused]] auto [p] : ctas)
        for (Index turn : range(parts + 1)) {
          Stage q = queue.wait();
          Index part = load_index(q[0], {0});
          queue.release(q);
          Fragment sum = zeros(f32, {bm, bn});
          for (Index k : stepsOf(part)) {
            Stage s = ring.wait();
            sum = mma(s[0], s[1].T(), sum);
            ring.release(s);
          }
          store(out, sum);
          Index tile = part / splits;
          copy(out, D.tile({tile / width, tile % width}), reduce_add);
          last_if(part >= parts);
        }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t k = 0; k < p.size("K"); ++k)
    sum += p["A"](at[0], k) * p["B"](at[1], k);
  return sum;
}

int main(int argc, char **argv) {
  return tool(
      argc, argv, queueGemm(),
      {.sizes = {{"M", 512}, {"N", 512}, {"K", 32768}, {"CTAs", 132}},
       .simulated_sizes = {{"M", 130}, {"N", 140}, {"K", 1500}, {"CTAs", 3}},
       .zeros = {"D", "Next"},
       .references = {{"D", reference}}});
}
