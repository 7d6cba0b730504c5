// Tensors of every rank, through TMA both ways.

#include "test/kernels/Feature.h"

#include <cmath>

namespace ashlar::test {
namespace {

Feature batched() {
  return {"a batched product of tensors of rank 3",
          [] {
            return kernel("batched", [] {
              Size L = size("L"), M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {L, M, K});
              Tensor B = input("B", bf16, {L, N, K});
              Tensor D = output("D", bf16, {L, M, N});
              TileLoop tiles =
                  persistent({L, M, N}, {1, 128, 128}, Raster::grouped(4));
              Pipeline ring =
                  pipeline(3, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
              role("load", warps(1), [&] {
                for (auto [l, m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({l, m, k}), s[0]);
                    copy(B.tile({l, n, k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(2), [&] {
                for (auto [l, m, n] : tiles) {
                  Fragment acc = zeros(f32, {128, 128});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    acc = mma(s[0], s[1].T(), acc);
                    ring.release(s);
                  }
                  store(D.tile({l, m, n}), convert(acc, bf16));
                }
              });
            });
          },
          {{{"L", 3}, {"M", 150}, {"N", 200}, {"K", 100}},
           {{"L", 7}, {"M", 128}, {"N", 130}, {"K", 64}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < p.size("K"); ++k)
              sum += p["A"](at[0], at[1], k) * p["B"](at[0], at[2], k);
            return sum;
          },
          5e-3};
}

Feature rankOne() {
  return {"tensors of rank 1 through TMA both ways",
          [] {
            return kernel("vector", [] {
              Size N = size("N");
              Tensor X = input("X", f32, {N});
              Tensor D = output("D", f32, {N});
              TileLoop tiles = persistent({N}, {256});
              Pipeline ring = pipeline(2, smem(f32, {256}));
              SharedTile staging = shared(f32, {256});
              role("load", warps(1), [&] {
                for (auto [n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({n}), s[0]);
                  ring.commit(s);
                }
              });
              role("compute", warps(4), [&] {
                for (auto [n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]);
                  ring.release(s);
                  store(staging, exp2(x) + 1.0f);
                  copy(staging, D.tile({n}));
                }
              });
            });
          },
          {{{"N", 1}}, {{"N", 1000}}, {{"N", 100003}}},
          [](const Problem &p, Coordinate at) {
            return std::exp2(p["X"](at[0])) + 1;
          },
          1e-5};
}

Feature rankFive() {
  return {"tensors of rank 5, a stage copied straight out",
          [] {
            return kernel("rank_five", [] {
              Size V = size("V"), W = size("W"), X = size("X"), Y = size("Y"),
                   Z = size("Z");
              Tensor S = input("S", bf16, {V, W, X, Y, Z});
              Tensor D = output("D", bf16, {V, W, X, Y, Z});
              TileLoop tiles = persistent({X, Y, Z}, {2, 4, 32});
              Pipeline ring = pipeline(3, smem(bf16, {2, 4, 32}));
              role("load", warps(1), [&] {
                for (auto [x, y, z] : tiles)
                  for (Index v : range(V))
                    for (Index w : range(W)) {
                      Stage s = ring.acquire();
                      copy(S.tile({v, w, x, y, z}), s[0]);
                      ring.commit(s);
                    }
              });
              role("store", warps(1), [&] {
                for (auto [x, y, z] : tiles)
                  for (Index v : range(V))
                    for (Index w : range(W)) {
                      Stage s = ring.wait();
                      copy(s[0], D.tile({v, w, x, y, z}));
                      ring.release(s);
                    }
              });
            });
          },
          {{{"V", 2}, {"W", 3}, {"X", 5}, {"Y", 6}, {"Z", 72}},
           {{"V", 1}, {"W", 1}, {"X", 1}, {"Y", 1}, {"Z", 1}}},
          [](const Problem &p, Coordinate at) { return p["S"](at); },
          0};
}

/// Rows of S are columns of D, exchanged by the load or by the store.
Feature transposed(std::string name, bool byLoad) {
  return {std::move(name),
          [=] {
            return kernel("transpose", [=] {
              Size B = size("B"), M = size("M"), N = size("N");
              Tensor S = input("S", bf16, {B, M, N}, align(2));
              Tensor D = output("D", bf16, {B, N, M}, align(2));
              TileLoop tiles = persistent({B, M, N}, {1, 32, 64});
              role("move", warps(4), [&] {
                for (auto [b, m, n] : tiles) {
                  if (byLoad)
                    store(D.tile({b, n, m}),
                          load(S.tile({b, m, n}).T(), {64, 32}));
                  else
                    store(D.at({b, n * 64, m * 32}).T(),
                          load(S.at({b, m * 32, n * 64}), {32, 64}));
                }
              });
            });
          },
          {{{"B", 2}, {"M", 70}, {"N", 133}}, {{"B", 1}, {"M", 1}, {"N", 1}}},
          [](const Problem &p, Coordinate at) {
            return p["S"](at[0], at[2], at[1]);
          },
          0};
}

/// A program that stores to an output without elements, and reads zeros from an
/// input without any, though there are tiles of rows.
Feature withoutColumns() {
  return {"TMA both ways with tensors that have rows and no columns",
          [] {
            return kernel("without_columns", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor Ones = output("Ones", f32, {M, N});
              Tensor D = output("D", f32, {M});
              TileLoop tiles = persistent({M}, {64});
              Pipeline ring = pipeline(2, smem(f32, {64, 32}));
              SharedTile staging = shared(f32, {64, 32});
              role("load", warps(1), [&] {
                for (auto [m] : tiles)
                  for (Index turn : range(2)) {
                    Stage s = ring.acquire();
                    copy(X.tile({m, 0}), s[0]);
                    ring.commit(s);
                  }
              });
              role("compute", warps(4), [&] {
                for (auto [m] : tiles) {
                  Fragment sum = zeros(f32, {64});
                  for (Index turn : range(2)) {
                    Stage s = ring.wait();
                    sum = sum + row_sum(load(s[0]));
                    ring.release(s);
                  }
                  store(staging, full(f32, {64, 32}, 1));
                  copy(staging, Ones.tile({m, 0}));
                  store(D.tile({m}), sum);
                }
              });
            });
          },
          {{{"M", 200}, {"N", 0}}, {{"M", 20000}, {"N", 0}}},
          [](const Problem &, Coordinate) { return 0; },
          0};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {batched(), rankOne(), rankFive(), withoutColumns(),
     transposed("a tensor transposed as it is loaded", true),
     transposed("a tensor transposed as it is stored", false)});

} // namespace
} // namespace ashlar::test
