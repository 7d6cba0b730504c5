// What roles can say to one another: pipelines, barriers, polling.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

Feature elementwiseGrid() {
  return {"one role of four warps, no mma, grid over tiles",
          [] {
            return kernel("scale", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor Y = input("Bias", f32, {N});
              Tensor D = output("D", f32, {M, N});
              Scalar alpha = scalar("alpha", f32);
              TileLoop tiles = grid({M, N}, {32, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Fragment x = load(X.tile({m, n}), {32, 64});
                  Fragment bias = load(Y.tile({n}), {64});
                  store(D.tile({m, n}), relu(x * alpha + bias));
                }
              });
            });
          },
          {{{"M", 1}, {"N", 1}},
           {{"M", 100}, {"N", 333}},
           {{"M", 512}, {"N", 1024}}},
          [](const Problem &p, Coordinate at) {
            return std::max(0.0, p["X"](at[0], at[1]) * p.scalar("alpha") +
                                     p["Bias"](at[1]));
          },
          1e-6,
          {{"alpha", 0.5}}};
}

/// By the name that the label behind a wait has.
Feature singleRole() {
  return {"one role fills and drains its own pipeline",
          [] {
            return kernel("DONE", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = grid({M, N}, {64, 64});
              Pipeline ring =
                  pipeline(2, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
              role("all", warpgroups(1), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {64, 64});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage filled = ring.acquire();
                    copy(A.tile({m, k}), filled[0]);
                    copy(B.tile({n, k}), filled[1]);
                    ring.commit(filled);
                    Stage s = ring.wait();
                    acc = mma(s[0], s[1].T(), acc);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), acc);
                }
              });
            });
          },
          gemmProblems(), gemmReference, 1e-5};
}

Feature twoPipelines() {
  return {"a role that waits on two pipelines, filled by two roles",
          [] {
            return kernel("two_rings", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", f16, {M, K});
              Tensor B = input("B", f16, {N, K});
              Tensor D = output("D", f16, {M, N});
              TileLoop tiles = persistent({M, N}, {128, 128});
              Pipeline ringA = pipeline(3, smem(f16, {128, 64}));
              Pipeline ringB = pipeline(4, smem(f16, {128, 64}));
              role("load A", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ringA.acquire();
                    copy(A.tile({m, k}), s[0]);
                    ringA.commit(s);
                  }
              });
              role("load B", warps(2), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ringB.acquire();
                    copy(B.tile({n, k}), s[0]);
                    ringB.commit(s);
                  }
              });
              role("math", warpgroups(1), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {128, 128});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage a = ringA.wait();
                    Stage b = ringB.wait();
                    acc = mma(a[0], b[0].T(), acc);
                    ringB.release(b);
                    ringA.release(a);
                  }
                  store(D.tile({m, n}), convert(acc, f16));
                }
              });
            });
          },
          gemmProblems(), gemmReference, 1e-3};
}

Feature convertingRole(bool transposed) {
  return {
      std::string(
          "four roles, of which one rewrites A from f32 through registers ") +
          (transposed ? "transposed for the mma" : "for the mma"),
      [transposed] {
        return kernel("convert", [transposed] {
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A = input("A", f32, {M, K});
          Tensor B = input("B", bf16, {N, K});
          Tensor D = output("D", bf16, {M, N});
          TileLoop tiles = persistent({M, N}, {128, 128});
          Pipeline raw = pipeline(2, smem(f32, {128, 64}));
          Pipeline ringA = pipeline(
              2, smem(bf16, transposed ? Shape{64, 128} : Shape{128, 64}));
          Pipeline ringB = pipeline(3, smem(bf16, {128, 64}));
          auto seen = [transposed](const SharedTile &tile) {
            return transposed ? tile.T() : tile;
          };
          auto steps = [&] { return range(ceil_div(K, 64)); };
          role("load A", warps(1), registers(40), [&] {
            for (auto [m, n] : tiles)
              for (Index k : steps()) {
                Stage s = raw.acquire();
                copy(A.tile({m, k}), s[0]);
                raw.commit(s);
              }
          });
          role("load B", warps(1), registers(40), [&] {
            for (auto [m, n] : tiles)
              for (Index k : steps()) {
                Stage s = ringB.acquire();
                copy(B.tile({n, k}), s[0]);
                ringB.commit(s);
              }
          });
          role("convert", warpgroups(transposed ? 2 : 1),
               registers(transposed ? 80 : 104), [&] {
                 for (auto [m, n] : tiles)
                   for (Index k : steps()) {
                     Stage from = raw.wait();
                     Fragment a = convert(load(from[0]), bf16);
                     raw.release(from);
                     Stage to = ringA.acquire();
                     store(seen(to[0]), a);
                     ringA.commit(to);
                   }
               });
          role("math", warpgroups(2), registers(136), [&] {
            for (auto [m, n] : tiles) {
              Fragment acc = zeros(f32, {128, 128});
              for (Index k : steps()) {
                Stage a = ringA.wait();
                Stage b = ringB.wait();
                acc = mma(seen(a[0]), b[0].T(), acc);
                ringA.release(a);
                ringB.release(b);
              }
              store(D.tile({m, n}), convert(acc, bf16));
            }
          });
        });
      },
      gemmProblems(), gemmReference, 5e-3};
}

Feature namedBarrier() {
  return {"two roles meet at a named barrier around a shared tile",
          [] {
            return kernel("meeting", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", bf16, {M, N});
              Tensor D = output("D", bf16, {M, N});
              TileLoop tiles = persistent({M, N}, {64, 64});
              SharedTile between = shared(bf16, {64, 64});
              Barrier written = barrier("tile written"),
                      read = barrier("tile read");
              role("write", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  store(between, load(X.tile({m, n}), {64, 64}));
                  written.arrive();
                  read.sync();
                }
              });
              role("read", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  written.sync();
                  Fragment x = load(between);
                  read.arrive();
                  store(D.tile({m, n}), x + x);
                }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 1000}, {"N", 777}}},
          [](const Problem &p, Coordinate at) { return 2 * p["X"](at); },
          0};
}

Feature polling() {
  return {"roles that poll their pipeline with try_acquire and try_wait",
          [] {
            return kernel("polling", [] {
              Size N = size("N");
              Tensor X = input("X", f32, {N});
              Tensor D = output("D", f32, {N});
              Pipeline ring = pipeline(2, smem(f32, {256}));
              TileLoop tiles = grid({N}, {256});
              // Each attempt may fail; a last blocking one settles it.
              role("load", warps(1), [&] {
                for (auto [n] : tiles) {
                  when(
                      ring.try_acquire(),
                      [&](Stage s) {
                        copy(X.tile({n}), s[0]);
                        ring.commit(s);
                      },
                      [&] {
                        Stage s = ring.acquire();
                        copy(X.tile({n}), s[0]);
                        ring.commit(s);
                      });
                }
              });
              role("compute", warps(4), [&] {
                for (auto [n] : tiles) {
                  Fragment x = zeros(f32, {256});
                  when(
                      ring.try_wait(),
                      [&](Stage s) {
                        x = load(s[0]);
                        ring.release(s);
                      },
                      [&] {
                        Stage s = ring.wait();
                        x = load(s[0]);
                        ring.release(s);
                      });
                  store(D.tile({n}), x * 3.0f);
                }
              });
            });
          },
          {{{"N", 1}}, {{"N", 100003}}},
          [](const Problem &p, Coordinate at) { return 3 * p["X"](at); },
          1e-6};
}

/// A warpgroup may be tiles ahead of the next one but for its turn: the ring
/// holds all steps of a tile, and K may have one.
Feature inOrder() {
  return {"three warpgroups whose products begin one after another",
          [] {
            return kernel("in_order", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {192, 32});
              Pipeline ring =
                  pipeline(4, smem(bf16, {192, 64}), smem(bf16, {32, 64}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, k}), s[0]);
                    copy(B.tile({n, k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(3), [&] {
                for (auto [m, n] : tiles) {
                  Fragment sum = zeros(f32, {192, 32});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    in_order([&] { sum = mma(s[0], s[1].T(), sum); });
                    ring.release(s);
                  }
                  store(D.tile({m, n}), sum);
                }
              });
            });
          },
          gemmProblems(), gemmReference, 1e-5};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {elementwiseGrid(), singleRole(), twoPipelines(), convertingRole(false),
     convertingRole(true), namedBarrier(), polling(), inOrder()});

} // namespace
} // namespace ashlar::test
