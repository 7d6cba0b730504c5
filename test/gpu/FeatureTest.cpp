// What the language can say beyond a GEMM of one producer and one consumer:
// each kernel compiles without a spill or a remark, and where there is a GPU
// its result is right.

#include "test/gpu/Check.h"
#include "test/gpu/Register.h"

#include "ashlar/ashlar.h"

#include <cmath>

namespace ashlar::test {
namespace {

using Coordinate = std::span<const int64_t>;

/// A kernel, problems to run it on, and what its output 'D' must be.
struct Feature {
  std::string name;
  std::function<Kernel()> build;
  std::vector<std::vector<NamedSize>> problems;
  std::function<double(const Problem &, Coordinate)> reference;
  double tolerance;
  std::vector<NamedScalar> scalars = {};
};

double product(const HostTensor &a, const HostTensor &b, int64_t m, int64_t n) {
  double sum = 0;
  for (int64_t k = 0; k < a.shape()[1]; ++k)
    sum += a(m, k) * b(n, k);
  return sum;
}

double gemmReference(const Problem &p, Coordinate at) {
  return product(p["A"], p["B"], at[0], at[1]);
}

const std::vector<std::vector<NamedSize>> gemmProblems{
    {{"M", 1}, {"N", 1}, {"K", 1}},
    {{"M", 200}, {"N", 300}, {"K", 170}},
    {{"M", 384}, {"N", 512}, {"K", 512}}};

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

Feature singleRole() {
  return {"one role fills and drains its own pipeline",
          [] {
            return kernel("single", [] {
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
          gemmProblems, gemmReference, 1e-5};
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
          gemmProblems, gemmReference, 1e-3};
}

Feature convertingRole() {
  return {"four roles; one rewrites A from f32 through registers for the mma",
          [] {
            return kernel("convert", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", f32, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor D = output("D", bf16, {M, N});
              TileLoop tiles = persistent({M, N}, {128, 128});
              Pipeline raw = pipeline(2, smem(f32, {128, 64}));
              Pipeline ringA = pipeline(2, smem(bf16, {128, 64}));
              Pipeline ringB = pipeline(3, smem(bf16, {128, 64}));
              auto steps = [&] { return range(ceil_div(K, 64)); };
              role("load A", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : steps()) {
                    Stage s = raw.acquire();
                    copy(A.tile({m, k}), s[0]);
                    raw.commit(s);
                  }
              });
              role("load B", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : steps()) {
                    Stage s = ringB.acquire();
                    copy(B.tile({n, k}), s[0]);
                    ringB.commit(s);
                  }
              });
              role("convert", warpgroups(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : steps()) {
                    Stage from = raw.wait();
                    Fragment a = convert(load(from[0]), bf16);
                    raw.release(from);
                    Stage to = ringA.acquire();
                    store(to[0], a);
                    ringA.commit(to);
                  }
              });
              role("math", warpgroups(2), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {128, 128});
                  for (Index k : steps()) {
                    Stage a = ringA.wait();
                    Stage b = ringB.wait();
                    acc = mma(a[0], b[0].T(), acc);
                    ringA.release(a);
                    ringB.release(b);
                  }
                  store(D.tile({m, n}), convert(acc, bf16));
                }
              });
            });
          },
          gemmProblems, gemmReference, 5e-3};
}

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
          gemmProblems,
          [](const Problem &p, Coordinate at) {
            double x = product(p["A"], p["B"], at[0], at[1]) *
                           p.scalar("alpha") * p["RowScale"](at[0]) +
                       p["C"](at[0], at[1]) * p.scalar("beta") +
                       p["Bias"](at[1]);
            return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
          },
          1e-2,
          {{"alpha", 0.25}, {"beta", 2.0}}};
}

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

Feature splitK() {
  return {"split along K, summed by TMA reductions",
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
           {{"M", 128}, {"N", 128}, {"K", 4096}}},
          [](const Problem &p, Coordinate at) {
            return p["D"](at) + product(p["A"], p["B"], at[0], at[1]);
          },
          1e-5};
}

std::vector<Feature> features() {
  return {elementwiseGrid(), singleRole(), twoPipelines(), convertingRole(),
          epilogue(),        batched(),    rankOne(),      rankFive(),
          namedBarrier(),    polling(),    splitK()};
}

void runs(const Feature &feature) {
  Module module(device(), compileCleanly(feature.build()));
  for (const auto &sizes : feature.problems) {
    Problem problem = randomProblem(module.artifact(), sizes, feature.scalars);
    HostTensor d = launch(module, problem);
    auto reference = [&](Coordinate at) {
      return feature.reference(problem, at);
    };
    EXPECT_LE(relativeError(d, reference), feature.tolerance) << feature.name;
    if (isSimulated())
      break; // the others are larger, not different
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const Feature &feature : features()) {
    registerTest("FeatureCompiles", feature.name,
                 [feature] { compileCleanly(feature.build()); });
    registerTest("FeatureRuns", feature.name, [feature] { runs(feature); });
  }
  return true;
}();

} // namespace
} // namespace ashlar::test
