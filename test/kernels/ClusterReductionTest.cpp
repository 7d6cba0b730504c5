// Split-K: sums over the CTAs of a cluster, each of which has multiplied a part
// of K.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

struct Sum {
  std::string name;
  ElementType in = bf16, accumulator = f32;
  int64_t parts = 2;
  /// The parts of K are the first dimension of the cluster, or the last.
  bool first = true;
  /// CTAs of the cluster that share the tiles of A.
  int64_t others = 1;
  Warps team = warpgroups(1);
  bool budgets = true;
};

constexpr int64_t bm = 64, bn = 32;

Kernel splitKGemm(const Sum &c) {
  return kernel("split_k", [&] {
    int64_t bk = 128 / size_bytes(c.in);
    int64_t rows = bm * c.team.count / 4, columns = bn / c.parts;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", c.in, {M, K});
    Tensor B = input("B", c.in, {N, K});
    Tensor D = output("D", c.accumulator, {M, N});
    if (c.first)
      cluster({c.parts, 1, c.others});
    else
      cluster({1, c.others, c.parts});
    TileLoop tiles = c.first
                         ? persistent({Index(c.parts), M, N}, {1, rows, bn})
                         : persistent({M, N, Index(c.parts)}, {rows, bn, 1});
    Pipeline ring = pipeline(3, smem(c.in, {rows, bk}), smem(c.in, {bn, bk}));
    struct Place {
      Index part, m, n;
    };
    auto place = [&](const std::array<Index, 3> &at) {
      return c.first ? Place{at[0], at[1], at[2]} : Place{at[2], at[0], at[1]};
    };
    Index steps = ceil_div(K, bk), perPart = ceil_div(steps, c.parts);
    auto stepsOf = [&](Index part) {
      return range(part * perPart, min((part + 1) * perPart, steps));
    };

    roleOf("load", warps(1), c.budgets ? 40 : 0, [&] {
      for (auto at : tiles) {
        auto [part, m, n] = place(at);
        for (Index k : stepsOf(part)) {
          Stage s = ring.acquire();
          if (c.others > 1)
            copy(A.tile({m, k}), s[0], multicast);
          else
            copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
      }
    });
    roleOf("math", c.team, c.budgets ? 200 : 0, [&] {
      for (auto at : tiles) {
        auto [part, m, n] = place(at);
        Fragment acc = zeros(c.accumulator, {rows, bn});
        for (Index k : stepsOf(part)) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(D.at({m * rows, n * bn + part * columns}),
              cluster_sum(acc, c.first ? 0 : 2));
      }
    });
  });
}

Feature feature(const Sum &c) {
  // Less than a tile; more tiles than clusters, some parts of K empty; K = 0.
  return {c.name,
          [c] { return splitKGemm(c); },
          {{{"M", 1}, {"N", 1}, {"K", 1}},
           {{"M", c.parts == 2 ? 520 : 300}, {"N", 500}, {"K", 150}},
           {{"M", 70}, {"N", 40}, {"K", 520}},
           {{"M", 70}, {"N", 40}, {"K", 0}}},
          gemmReference,
          c.accumulator == s32 ? 0 : 1e-5};
}

std::vector<Feature> features() {
  std::vector<Feature> all;
  for (ElementType in : {bf16, s8})
    for (int64_t parts : {2, 4})
      for (bool first : {true, false})
        for (bool budgets : {true, false})
          all.push_back(feature(
              {.name = "a sum of " + std::to_string(parts) + " parts in " +
                       (in == s8 ? "s32" : "f32") + " along the " +
                       (first ? "first" : "last") + " dimension" +
                       (budgets ? "" : " without budgets"),
               .in = in,
               .accumulator = in == s8 ? s32 : f32,
               .parts = parts,
               .first = first,
               .budgets = budgets}));
  for (bool first : {true, false})
    all.push_back(feature({.name = std::string("a sum beside shared loads") +
                                   (first ? "" : ", along the last dimension"),
                           .first = first,
                           .others = 2}));
  all.push_back(
      feature({.name = "a sum of two warpgroups", .team = warpgroups(2)}));
  all.push_back(feature(
      {.name = "sums of warpgroups in ping pong", .team = ping_pong(2)}));
  all.push_back(feature({.name = "sums of three warpgroups in ping pong",
                         .parts = 4,
                         .team = ping_pong(3),
                         .budgets = false}));
  return all;
}

/// The columns of a vector lie in many threads each.
Feature vectorSum() {
  return {"a sum of vectors that are broadcast",
          [] {
            return kernel("vectors", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor bias = input("Bias", f32, {2, N});
              Tensor D = output("D", f32, {M, N});
              cluster({2, 1, 1});
              TileLoop tiles = persistent({2, M, N}, {1, 64, 64});
              Pipeline ring =
                  pipeline(2, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
              role("load", warps(1), [&] {
                for (auto [part, m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(A.tile({m, 0}), s[0]);
                  copy(B.tile({n, 0}), s[1]);
                  ring.commit(s);
                }
              });
              role("math", warpgroups(1), [&] {
                for (auto [part, m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment acc = mma(s[0], s[1].T(), zeros(f32, {64, 64}));
                  ring.release(s);
                  Fragment v = load(bias.tile({part, n}), {64});
                  store(D.at({m * 64, n * 64 + part * 32}),
                        cluster_sum(acc * v, 0) + cluster_sum(v, 0));
                }
              });
            });
          },
          {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 600}, {"N", 700}, {"K", 50}}},
          [](const Problem &p, Coordinate at) {
            double v = p["Bias"](0, at[1]) + p["Bias"](1, at[1]);
            return (gemmReference(p, at) + 1) * v;
          },
          1e-5};
}

/// Rows that the CTAs of a cluster share: each has so many of their columns.
Feature sharedRows(ElementType type, int64_t parts, Shape shape,
                   int64_t warps) {
  return {"what " + std::to_string(parts) + " CTAs combine of rows of " +
              std::string(name(type)) + " by " + std::to_string(warps) +
              " warps",
          [=] {
            return kernel("shared_rows", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N});
              Tensor D = output("D", type, {M, N});
              cluster({1, parts});
              TileLoop tiles = grid({M, Index(parts)}, {shape[0], 1});
              role("all", ashlar::warps(warps), [&] {
                for (auto [m, part] : tiles) {
                  Fragment x = load(X.tile({m, part}), shape);
                  Fragment most = cluster_all_max(row_max(x), 1);
                  Fragment least = cluster_all_min(row_min(x), 1);
                  Fragment sum = cluster_all_sum(row_sum(x), 1);
                  store(D.tile({m, part}), x + along_rows(most - least + sum));
                }
              });
            });
          },
          {{{"M", 1}, {"N", 4}},
           {{"M", 2 * shape[0] + 1}, {"N", parts * shape[1] - 4}}},
          [](const Problem &p, Coordinate at) {
            // Beyond the row are zeros.
            double most = 0, least = 0, sum = 0;
            for (int64_t n = 0; n < p.size("N"); ++n) {
              const double x = p["X"](at[0], n);
              most = std::max(most, x);
              least = std::min(least, x);
              sum += x;
            }
            return p["X"](at) + most - least + sum;
          },
          1e-5};
}

[[maybe_unused]] const bool registered = [] {
  auto all = features();
  all.push_back(vectorSum());
  all.push_back(sharedRows(f32, 2, {1, 256}, 4));
  all.push_back(sharedRows(f32, 8, {8, 64}, 4));
  all.push_back(sharedRows(s32, 4, {2, 96}, 2));
  return registerFeatures(all);
}();

} // namespace
} // namespace ashlar::test
