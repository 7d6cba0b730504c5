// GEMM with weights of four bits: D = X · Wᵀ, where each group of 128 weights
// of a row of W has a scale. The weights stay packed until they are in
// registers, as the left operand of the products; D is computed transposed.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

constexpr int64_t group = 128;

Kernel int4Gemm() {
  return kernel("int4_gemm", [] {
    constexpr int64_t bm = 128, bn = 128, bk = group;
    Size M = size("M"), N = size("N"), K = size("K"), G = size("G");
    Tensor X = input("X", bf16, {M, K}), W = input("W", s4, {N, K});
    Tensor scale = input("Scale", f32, {G, N}); // G = K / 128, rounded up
    Tensor D = output("D", bf16, {M, N});
    expect(G >= ceil_div(K, bk), "there is a row of Scale for every 128 of K");

    TileLoop tiles = persistent({N, M}, {bn, bm}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(s4, {bn, bk}), smem(bf16, {bm, bk}));
    SharedTile staging = shared(bf16, {bm, bn});

    role("load", warps(1), registers(40), [&] {
      for (auto [n, m] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(W.tile({n, k}), s[0]);
          copy(X.tile({m, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [n, m] : tiles) {
        Fragment acc = zeros(f32, {bn, bm});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          Fragment product = mma(convert(load(s[0]), bf16), s[1].T());
          ring.release(s);
          Fragment ofRows = load(scale.at({k, n * bn}), {bn});
          acc = acc + product * along_rows(ofRows);
        }
        store(staging.T(), convert(acc, bf16));
        copy(staging, D.tile({m, n}));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t k = 0; k < p.size("K"); ++k)
    sum += p["X"](at[0], k) * p["W"](at[1], k) * p["Scale"](k / group, at[1]);
  return sum;
}

int main(int argc, char **argv) {
  return tool(argc, argv, int4Gemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}, {"G", 32}},
               .references = {{"D", reference}},
               .operations = examples::operations});
}
