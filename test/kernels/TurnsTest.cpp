// Groups of warps that take the iterations of a loop in turns.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

struct Turns {
  std::string name;
  int64_t groups = 2, warpsOfGroup = 2;
  /// Bytes that rows of A begin on: of less than 16 threads load them.
  int64_t alignment = 2;
  int64_t cluster = 1;
  bool isMathInPingPong = false;
  /// Tiles take more stages the further down they lie.
  bool triangular = false;
  /// A stage more for each tile, in a loop of one turn.
  bool hasStageOfTile = false;
};

constexpr int64_t bm = 64, bn = 8, bk = 64;

Kernel gemmInTurns(const Turns &c) {
  return kernel("turns", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}, align(c.alignment));
    Tensor B = input("B", bf16, {N, K}, align(c.alignment));
    Tensor D = output("D", bf16, {M, N}, align(2));
    cluster({1, c.cluster});
    TileLoop tiles = persistent({M, N}, {bm, bn});
    Pipeline ring = pipeline(4, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    auto steps = [&](Index m) {
      Index all = ceil_div(K, bk);
      return range(c.triangular ? min(m + 1, all) : all);
    };
    role("load", in_turns(c.groups, warps(c.warpsOfGroup)), [&] {
      for (auto [m, n] : tiles) {
        for (Index k : in_turns(steps(m))) {
          Stage s = ring.acquire();
          if (c.cluster > 1)
            copy(A.tile({m, k}), s[0], multicast);
          else
            copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
        if (c.hasStageOfTile)
          for ([[maybe_unused]] Index once : in_turns(range(1)))
            ring.commit(ring.acquire());
      }
    });
    role("math", c.isMathInPingPong ? ping_pong(2) : warpgroups(1), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : steps(m)) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        if (c.hasStageOfTile)
          ring.release(ring.wait());
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

Feature feature(const Turns &c) {
  // One tile; some for each CTA; fewer steps than groups; nothing to load.
  return {c.name,
          [c] { return gemmInTurns(c); },
          {{{"M", 1}, {"N", 1}, {"K", 8}},
           {{"M", 520}, {"N", 430}, {"K", 344}},
           {{"M", 520}, {"N", 430}, {"K", 136}},
           {{"M", 1100}, {"N", 430}, {"K", 40}},
           {{"M", 520}, {"N", 430}, {"K", 0}}},
          [c](const Problem &p, Coordinate at) {
            const int64_t m = at[0], n = at[1];
            int64_t depth = p.size("K");
            if (c.triangular)
              depth = std::min(depth, (m / bm + 1) * bk);
            const HostTensor &a = p["A"], &b = p["B"];
            double sum = 0;
            for (int64_t k = 0; k < depth; ++k)
              sum += a(m, k) * b(n, k);
            return sum;
          },
          5e-3};
}

/// Who takes full stages in turns, and works on each alone.
Feature storingInTurns() {
  return {
      "stages that are stored in turns",
      [] {
        return kernel("storing", [] {
          Size M = size("M"), N = size("N");
          Tensor X = input("X", f32, {M, N});
          Tensor D = output("D", f32, {M, N});
          TileLoop tiles = persistent({M}, {bm});
          Pipeline ring = pipeline(6, smem(f32, {bm, 32}));
          auto steps = [&] { return range(ceil_div(N, 32)); };
          role("load", warps(1), [&] {
            for (auto [m] : tiles)
              for (Index n : steps()) {
                Stage s = ring.acquire();
                copy(X.tile({m, n}), s[0]);
                ring.commit(s);
              }
          });
          role("store", in_turns(3, warps(4)), [&] {
            for (auto [m] : tiles)
              for (Index n : in_turns(steps())) {
                Stage s = ring.wait();
                Fragment x = load(s[0]);
                ring.release(s);
                store(D.tile({m, n}), x + 1);
              }
          });
        });
      },
      {{{"M", 1}, {"N", 4}}, {{"M", 9000}, {"N", 236}}},
      [](const Problem &p, Coordinate at) { return p["X"](at[0], at[1]) + 1; },
      1e-6};
}

/// Of a ring that has a stage for each group: who multiplies one may not keep
/// it until it has the next.
Feature multiplyingInTurns() {
  return {
      "products in turns",
      [] {
        return kernel("multiplying", [] {
          Size T = size("T"), M = size("M"), all = size("all");
          Tensor A = input("A", bf16, {M, bk}); // T tiles of either
          Tensor B = input("B", bf16, {bn, M});
          Tensor D = output("D", f32, {M, bn});
          Pipeline ring =
              pipeline(2, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
          role("load", warps(1), [&] {
            for (Index t : range(T)) {
              Stage s = ring.acquire();
              copy(A.tile({t, 0}), s[0]);
              copy(B.tile({0, t}), s[1]);
              ring.commit(s);
            }
          });
          role("math", in_turns(2, warpgroups(1)), [&] {
            for (Index t : in_turns(range(T))) {
              Stage s = ring.wait();
              Fragment product = mma(s[0], s[1].T(), zeros(f32, {bm, bn}));
              ring.release(s);
              when(t < all, [&] { store(D.tile({t, 0}), product); });
            }
          });
        });
      },
      {{{"T", 1}, {"M", 64}, {"all", 1}}, {{"T", 7}, {"M", 448}, {"all", 7}}},
      [](const Problem &p, Coordinate at) {
        const int64_t tile = at[0] / bm;
        double sum = 0;
        for (int64_t k = 0; k < bk; ++k)
          sum += p["A"](at[0], k) * p["B"](at[1], tile * bk + k);
        return sum;
      },
      5e-3};
}

/// A tile loop within a loop in turns is its group's alone; how often it turns
/// is a number of 64 bits.
Feature tilesInTurns() {
  return {"tiles in a loop in turns",
          [] {
            return kernel("tiles", [] {
              Size T = size("T"), M = size("M");
              Tensor X = input("X", f32, {T, M, 64});
              Tensor D = output("D", f32, {T, M, 64});
              TileLoop tiles = persistent({M}, {bm});
              role("copy", in_turns(2, warps(4)), [&] {
                for (Index t : in_turns(range(0, T * M / max(M, 1), 1)))
                  for (auto [m] : tiles)
                    store(D.at({t, m * bm, 0}),
                          load(X.at({t, m * bm, 0}), {bm, 64}) + 1);
              });
            });
          },
          {{{"T", 1}, {"M", 64}}, {{"T", 5}, {"M", 700}}},
          [](const Problem &p, Coordinate at) {
            return p["X"](at[0], at[1], at[2]) + 1;
          },
          1e-6};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {feature({"stages that two groups load in turns"}),
     feature({.name = "stages that four warps load in turns",
              .groups = 4,
              .warpsOfGroup = 1}),
     feature({.name = "a role in turns of one group", .groups = 1}),
     feature({.name = "turns of asynchronous copies of eight bytes",
              .alignment = 8}),
     feature({.name = "turns of TMA", .alignment = 16}),
     feature({.name = "turns in a cluster that shares its loads",
              .alignment = 16,
              .cluster = 2}),
     feature({.name = "turns that warpgroups in ping pong wait for",
              .isMathInPingPong = true}),
     feature({.name = "turns of tiles that take more and more stages",
              .groups = 4,
              .isMathInPingPong = true,
              .triangular = true}),
     feature({.name = "a stage of the tile beside stages in turns",
              .hasStageOfTile = true}),
     storingInTurns(), multiplyingInTurns(), tilesInTurns()});

} // namespace
} // namespace ashlar::test
