// What happens to an accumulator on its way to memory.

#include "test/kernels/Feature.h"

#include <cmath>

namespace ashlar::test {
namespace {

Feature epilogue() {
  return {"alpha, beta, C, bias and GELU in the epilogue",
          [] {
            return kernel("epilogue", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor C = input("C", bf16, {M, N});
              Tensor bias = input("Bias", f32, {N});
              Tensor rows = input("RowScale", f32, {M});
              Tensor D = output("D", bf16, {M, N});
              Scalar alpha = scalar("alpha", f32), beta = scalar("beta", f32);
              TileLoop tiles = persistent({M, N}, {128, 64});
              Pipeline ring =
                  pipeline(4, smem(bf16, {128, 64}), smem(bf16, {64, 64}));
              role("load", warps(1), registers(40), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, k}), s[0]);
                    copy(B.tile({n, k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(2), registers(232), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {128, 64});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    acc = mma(s[0], s[1].T(), acc);
                    ring.release(s);
                  }
                  Fragment c = convert(load(C.tile({m, n}), {128, 64}), f32);
                  Fragment scale = load(rows.tile({m}), {128});
                  Fragment x = acc * alpha * along_rows(scale) + c * beta +
                               load(bias.tile({n}), {64});
                  store(D.tile({m, n}), convert(gelu(x), bf16));
                }
              });
            });
          },
          gemmProblems(),
          [](const Problem &p, Coordinate at) {
            double x = gemmReference(p, at) * p.scalar("alpha") *
                           p["RowScale"](at[0]) +
                       p["C"](at[0], at[1]) * p.scalar("beta") +
                       p["Bias"](at[1]);
            return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
          },
          1e-2,
          {{"alpha", 0.25}, {"beta", 2.0}}};
}

Feature splitK() {
  return {"split K summed by TMA reductions",
          [] {
            return kernel("split_k", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor D = inout("D", f32, {M, N});
              TileLoop tiles = grid({M, N, K}, {128, 128, 256});
              Pipeline ring =
                  pipeline(3, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
              SharedTile staging = shared(f32, {128, 128});
              role("load", warps(1), [&] {
                for (auto [m, n, part] : tiles)
                  for (Index k : range(4)) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, part * 4 + k}), s[0]);
                    copy(B.tile({n, part * 4 + k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(2), [&] {
                for (auto [m, n, part] : tiles) {
                  Fragment acc = zeros(f32, {128, 128});
                  for (Index k : range(4)) {
                    Stage s = ring.wait();
                    acc = mma(s[0], s[1].T(), acc);
                    ring.release(s);
                  }
                  store(staging, acc);
                  copy(staging, D.tile({m, n}), reduce_add);
                }
              });
            });
          },
          {{{"M", 200}, {"N", 136}, {"K", 1000}},
           {{"M", 130}, {"N", 139}, {"K", 300}},
           {{"M", 128}, {"N", 128}, {"K", 4096}}},
          [](const Problem &p, Coordinate at) {
            return p["D"](at) + gemmReference(p, at);
          },
          1e-5};
}

[[maybe_unused]] const bool registered =
    registerFeatures({epilogue(), splitK()});

} // namespace
} // namespace ashlar::test
