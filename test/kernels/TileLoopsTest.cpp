// Several tile loops in a kernel: one after another, and in a range, of which
// the device alone knows how long they are.

#include "test/kernels/Feature.h"

#include <algorithm>

namespace ashlar::test {
namespace {

/// How the tiles of two loops are given to CTAs and warpgroups.
struct Loops {
  enum Kind : uint8_t { grid, persistent, goesOn } first;
  bool hasCluster;
  int64_t warpgroups; ///< in ping-pong
  int64_t rows;       ///< of the second
};

/// D = A · Bᵀ, then E = 2 · X in tiles of another shape, through the same ring.
Kernel productAndCopy(const Loops &c) {
  return kernel("product_and_copy", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
    Tensor X = input("X", bf16, {c.rows, 64});
    Tensor D = output("D", bf16, {M, N}), E = output("E", bf16, {c.rows, 64});
    if (c.hasCluster)
      cluster({2, 1});
    TileLoop first = c.first == Loops::grid ? grid({M, N}, {64, 16})
                                            : persistent({M, N}, {64, 16});
    TileLoop second = persistent({c.rows, 64}, {64, 64}, Raster::along_m());
    auto rest = [&] {
      return c.first == Loops::goesOn ? second.after(first.turns()) : second;
    };
    Pipeline ring = pipeline(3, smem(bf16, {64, 64}), smem(bf16, {16, 64}));
    role("load", warps(1), [&] {
      for (auto [m, n] : first)
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          if (c.hasCluster)
            copy(B.tile({n, k}), s[1], multicast);
          else
            copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
      for (auto [p, none] : rest()) {
        Stage s = ring.acquire();
        copy(X.tile({p, none}), s[0]);
        copy(X.at({p * 64, 0}), s[1]);
        ring.commit(s);
      }
    });
    role("math", ping_pong(c.warpgroups), [&] {
      for (auto [m, n] : first) {
        Fragment sum = zeros(f32, {64, 16});
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.wait();
          sum = mma(s[0], s[1].T(), sum);
          ring.release(s);
        }
        store(D.tile({m, n}), convert(sum, bf16));
      }
      for (auto [p, none] : rest()) {
        Stage s = ring.wait();
        store(E.tile({p, none}), 2 * load(s[0]));
        ring.release(s);
      }
    });
  });
}

std::vector<Feature> twoLoops(const Loops &c) {
  const std::string name =
      std::string("two tile loops, the first ") +
      (c.first == Loops::grid ? "a grid" : "persistent") +
      (c.first == Loops::goesOn ? ", the second going on" : "") +
      (c.hasCluster ? ", in clusters" : "") + ", by " +
      std::to_string(c.warpgroups) + " in turn, then " +
      std::to_string(c.rows) + " rows";
  // Less than a wave, several turns of each CTA, none at all.
  const std::vector<Sizes> problems = {{{"M", 200}, {"N", 24}, {"K", 136}},
                                       {{"M", 130}, {"N", 1000}, {"K", 64}},
                                       {{"M", 0}, {"N", 8}, {"K", 64}}};
  return {{name + ", the product", [=] { return productAndCopy(c); }, problems,
           gemmReference, 4e-3},
          {name + ", the copy",
           [=] { return productAndCopy(c); },
           problems,
           [](const Problem &p, Coordinate at) { return 2 * p["X"](at); },
           4e-3,
           {},
           "E"}};
}

/// Groups of rows, of which memory knows how many each has: D = G[g] · X for
/// the rows of group g, which begin where those before end. Each CTA counts its
/// tiles.
Kernel groups(bool goesOn, bool hasCluster) {
  return kernel("groups", [=] {
    if (hasCluster)
      cluster({1, 2});
    Size G = size("G"), T = size("T"), N = size("N");
    Tensor count = input("Count", s32, {G}, align(4));
    Tensor factor = input("F", f32, {G}, align(4));
    Tensor X = input("X", f32, {T, N}), D = output("D", f32, {T, N});
    Tensor taken = inout("Taken", s32, {size("CTAs")}, align(4));
    Pipeline ring = pipeline(2, smem(f32, {1, 64}));
    auto walk = [&](auto body) {
      Index row = 0, before = 0;
      for (Index g : range(G)) {
        Index rows = load_index(count.at({g}));
        TileLoop tiles = persistent({rows, N}, {1, 64});
        if (goesOn) {
          for (auto [m, n] : tiles.after(before))
            body(g, row + m, n);
          before += tiles.turns();
        } else {
          for (auto [m, n] : tiles)
            body(g, row + m, n);
        }
        row += max(rows, 0);
      }
    };
    role("load", warps(1), [&] {
      walk([&](Index, Index m, Index n) {
        Stage s = ring.acquire();
        copy(X.tile({m, n}), s[0]);
        ring.commit(s);
      });
    });
    role("math", warps(4), [&] {
      Fragment cta = full(s32, {1}, ptx_scalar("mov.u32 $0, %ctaid.x;", s32));
      walk([&](Index g, Index m, Index n) {
        Stage s = ring.wait();
        store(D.tile({m, n}), load(s[0]) * load_scalar(factor.at({g})));
        ring.release(s);
        scatter(taken, {cta}, full(s32, {1}, 1), Reduction::add);
      });
    });
  });
}

/// 5, 0, 2, -3, 9, ... rows.
int64_t rowsOf(int64_t group) {
  constexpr int64_t rows[] = {5, 0, 2, -3, 9, 1};
  return rows[group % 6];
}

constexpr int64_t ctas = 132; ///< at most, of an H100 or H200

std::vector<Feature> grouped(bool goesOn, bool hasCluster) {
  const std::string name =
      std::string("tile loops in a range with extents of memory") +
      (goesOn ? ", that go on from one another" : "") +
      (hasCluster ? ", in clusters" : "");
  std::vector<Sizes> problems = {{{"G", 1}, {"T", 5}, {"N", 64}},
                                 {{"G", 7}, {"T", 22}, {"N", 200}},
                                 {{"G", 24}, {"T", 68}, {"N", 200}}};
  for (Sizes &sizes : problems)
    sizes.push_back({"CTAs", ctas});
  const std::vector<Input> inputs = {
      {"Count",
       [](const Problem &, Coordinate at) { return double(rowsOf(at[0])); }}};
  std::vector<Feature> all = {{name,
                               [=] { return groups(goesOn, hasCluster); },
                               problems,
                               [](const Problem &p, Coordinate at) {
                                 int64_t end = 0, group = -1;
                                 while (end <= at[0])
                                   end += std::max<int64_t>(rowsOf(++group), 0);
                                 return p["X"](at) * p["F"](group);
                               },
                               1e-6,
                               {},
                               "D",
                               {"Taken"},
                               inputs}};
  if (!goesOn || hasCluster)
    return all;
  Feature evenly = all.front();
  evenly.name += ", evenly";
  evenly.output = "Taken";
  evenly.tolerance = 0;
  evenly.reference = [](const Problem &p, Coordinate at) {
    int64_t tiles = 0;
    for (int64_t g = 0; g < p.size("G"); ++g)
      tiles += std::max<int64_t>(rowsOf(g), 0) * ((p.size("N") + 63) / 64);
    return double((tiles + ctas - 1 - at[0]) / ctas);
  };
  all.push_back(std::move(evenly));
  return all;
}

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (bool goesOn : {false, true})
    for (bool hasCluster : {false, true})
      for (Feature &feature : grouped(goesOn, hasCluster))
        all.push_back(std::move(feature));
  for (const Loops &loops : {Loops{Loops::grid, false, 1, 40},
                             {Loops::grid, true, 1, 9620},
                             {Loops::grid, false, 2, 9620},
                             {Loops::persistent, false, 1, 9620},
                             {Loops::persistent, true, 1, 40},
                             {Loops::persistent, false, 2, 9620},
                             {Loops::persistent, false, 3, 20000},
                             {Loops::goesOn, false, 1, 9620},
                             {Loops::goesOn, true, 2, 20000}})
    for (Feature &feature : twoLoops(loops))
      all.push_back(std::move(feature));
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
