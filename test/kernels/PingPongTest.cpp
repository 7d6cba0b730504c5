// Warpgroups in ping-pong, each with a tile of its own.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// What the epilogue of a warpgroup does.
enum class Epilogue { direct, byWarps, transposed, readAgain };

struct PingPong {
  std::string name;
  int64_t warpgroups = 2;
  bool budgets = true;
  Epilogue epilogue = Epilogue::direct;
  /// Tiles take more stages the further down they lie.
  bool triangular = false;
  int64_t cluster = 1;
  bool isPersistent = true;
};

constexpr int64_t bm = 64, bn = 8, bk = 64;

Kernel gemmInPingPong(const PingPong &c) {
  return kernel("ping_pong", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    bool across = c.epilogue == Epilogue::transposed;
    Tensor D = across ? output("D", bf16, {N, M}) : output("D", bf16, {M, N});
    cluster({1, c.cluster});
    TileLoop tiles = c.isPersistent
                         ? persistent({M, N}, {bm, bn}, Raster::grouped(4))
                         : grid({M, N}, {bm, bn});
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    SharedTile staging = shared(bf16, across ? Shape{bn, bm} : Shape{bm, bn});
    auto steps = [&](Index m) {
      Index all = ceil_div(K, bk);
      return range(c.triangular ? min(m + 1, all) : all);
    };

    roleOf("load", warps(1), c.budgets ? 40 : 0, [&] {
      for (auto [m, n] : tiles)
        for (Index k : steps(m)) {
          Stage s = ring.acquire();
          if (c.cluster > 1)
            copy(A.tile({m, k}), s[0], multicast);
          else
            copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });
    int64_t budget = c.warpgroups == 2 ? 232 : 152;
    roleOf("math", ping_pong(c.warpgroups), c.budgets ? budget : 0, [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : steps(m)) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Fragment result = convert(acc, bf16);
        if (c.epilogue == Epilogue::direct) {
          store(D.tile({m, n}), result);
          continue;
        }
        store(across ? staging.T() : staging, result);
        if (c.epilogue == Epilogue::readAgain)
          store(D.tile({m, n}), load(staging));
        else
          copy(staging, across ? D.tile({n, m}) : D.tile({m, n}));
      }
    });
  });
}

double reference(const PingPong &c, const Problem &p, Coordinate at) {
  bool across = c.epilogue == Epilogue::transposed;
  int64_t m = at[across ? 1 : 0], n = at[across ? 0 : 1], depth = p.size("K");
  if (c.triangular)
    depth = std::min(depth, (m / bm + 1) * bk);
  const HostTensor &a = p["A"], &b = p["B"];
  double sum = 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += a(m, k) * b(n, k);
  return sum;
}

Feature feature(const PingPong &c) {
  // One tile; some for each CTA, of more stages than there are; nothing to wait
  // for.
  return {c.name,
          [c] { return gemmInPingPong(c); },
          {{{"M", 1}, {"N", 1}, {"K", 1}},
           {{"M", 520}, {"N", 430}, {"K", 200}},
           {{"M", 520}, {"N", 430}, {"K", 0}}},
          [c](const Problem &p, Coordinate at) { return reference(c, p, at); },
          5e-3};
}

/// Two roles in ping-pong, one of which takes the stages that the other fills.
Feature fillingInPingPong() {
  return {
      "ping pong on stages that are filled in ping pong",
      [] {
        return kernel("filling", [] {
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A = input("A", f32, {M, K});
          Tensor B = input("B", bf16, {N, K});
          Tensor D = output("D", bf16, {M, N});
          TileLoop tiles = persistent({M, N}, {bm, bn});
          Pipeline raw = pipeline(2, smem(f32, {bm, bk}));
          Pipeline ring = pipeline(3, smem(bf16, {bm, bk}));
          Pipeline ringB = pipeline(3, smem(bf16, {bn, bk}));
          auto steps = [&] { return range(ceil_div(K, bk)); };
          role("load", warps(1), [&] {
            for (auto [m, n] : tiles)
              for (Index k : steps()) {
                Stage a = raw.acquire();
                copy(A.tile({m, k}), a[0]);
                raw.commit(a);
                Stage b = ringB.acquire();
                copy(B.tile({n, k}), b[0]);
                ringB.commit(b);
              }
          });
          role("convert", ping_pong(2), [&] {
            for (auto [m, n] : tiles)
              for (Index k : steps()) {
                Stage from = raw.wait();
                Fragment a = convert(load(from[0]), bf16);
                raw.release(from);
                Stage to = ring.acquire();
                store(to[0], a);
                ring.commit(to);
              }
          });
          role("math", ping_pong(3), [&] {
            for (auto [m, n] : tiles) {
              Fragment acc = zeros(f32, {bm, bn});
              for (Index k : steps()) {
                Stage a = ring.wait();
                Stage b = ringB.wait();
                acc = mma(a[0], b[0].T(), acc);
                ring.release(a);
                ringB.release(b);
              }
              store(D.tile({m, n}), convert(acc, bf16));
            }
          });
        });
      },
      {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 520}, {"N", 430}, {"K", 200}}},
      gemmReference,
      5e-3};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {feature({"two warpgroups in ping pong"}),
     feature({.name = "two warpgroups without budgets in ping pong",
              .budgets = false}),
     feature({.name = "three warpgroups in ping pong", .warpgroups = 3}),
     feature({.name = "ping pong of tiles that take more and more stages",
              .triangular = true}),
     feature(
         {.name = "three in ping pong on tiles that take more and more stages",
          .warpgroups = 3,
          .budgets = false,
          .triangular = true}),
     feature({.name = "ping pong whose warps store by themselves",
              .epilogue = Epilogue::byWarps}),
     feature({.name = "ping pong that stores transposed",
              .epilogue = Epilogue::transposed}),
     feature({.name = "ping pong that reads what it has staged",
              .epilogue = Epilogue::readAgain}),
     feature({.name = "ping pong in a cluster that shares its loads",
              .epilogue = Epilogue::byWarps,
              .cluster = 2}),
     feature(
         {.name = "ping pong of CTAs with one tile", .isPersistent = false}),
     fillingInPingPong()});

} // namespace
} // namespace ashlar::test
