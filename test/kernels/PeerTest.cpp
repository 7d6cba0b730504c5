// Shared tiles of other CTAs of the cluster: read, written, and used behind
// that by wgmma and TMA.

#include "test/kernels/Feature.h"

#include "ashlar/compile.h"

#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

struct Shift {
  std::string name;
  ElementType type = f32;
  int64_t count = 4; ///< warps
  int64_t cluster = 2;
  int64_t rows = 32, columns = 64;
  enum How {
    loaded,     ///< from the next CTA's tile
    stored,     ///< to the one before
    turned,     ///< both with rows as columns, at the other CTA
    inParts,    ///< stored to parts, at run-time places
    copiedOut,  ///< from the own tile by TMA, where the next CTA has stored
    inPingPong, ///< by two warpgroups, each with tiles of its own
  } how = loaded;
};

/// The tile of D is that of X which the next CTA of the cluster has.
Kernel shift(const Shift &c) {
  return kernel("shift", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N}), D = output("D", c.type, {M, N});
    cluster({c.cluster});
    TileLoop tiles = persistent({M}, {c.rows});
    const Shape shape{c.rows, c.columns};
    SharedTile tile = shared(
        c.type, c.how == Shift::turned ? Shape{c.columns, c.rows} : shape);
    auto body = [&] {
      Index rank = cluster_rank();
      Index next = (rank + 1) % c.cluster,
            previous = (rank + (c.cluster - 1)) % c.cluster;
      for (auto [m] : tiles)
        for (Index n : range(ceil_div(N, c.columns))) {
          Fragment x = load(X.tile({m, n}), shape);
          switch (c.how) {
          case Shift::loaded:
          case Shift::inPingPong:
            store(tile, x);
            cluster_sync();
            store(D.tile({m, n}), load(tile.peer(next)));
            break;
          case Shift::turned:
            store(tile.T(), x);
            cluster_sync();
            store(D.tile({m, n}), load(tile.peer(next).T()));
            break;
          case Shift::stored:
            store(tile.peer(previous), x);
            cluster_sync();
            store(D.tile({m, n}), load(tile));
            break;
          case Shift::inParts:
            for (Index i : range(c.rows / 8))
              store(slice(tile.peer(previous), {i * 8, 0}, {8, c.columns}),
                    load(X.at({m * c.rows + i * 8, n * c.columns}),
                         {8, c.columns}));
            cluster_sync();
            for (Index i : range(c.rows / 8))
              store(D.at({m * c.rows + i * 8, n * c.columns}),
                    load(slice(tile, {i * 8, 0}, {8, c.columns})));
            break;
          case Shift::copiedOut:
            store(tile.peer(previous), x);
            cluster_sync();
            copy(tile, D.tile({m, n}));
            break;
          }
          cluster_sync();
        }
    };
    role("all", c.how == Shift::inPingPong ? ping_pong(2) : warps(c.count),
         body);
  });
}

Feature feature(const Shift &c) {
  return {c.name,
          [c] { return shift(c); },
          {{{"M", c.rows * c.cluster}, {"N", c.columns}},
           {{"M", 500}, {"N", 200}},
           {{"M", 40}, {"N", 72}}},
          [c](const Problem &p, Coordinate at) {
            const int64_t tile = at[0] / c.rows, rank = tile % c.cluster;
            const int64_t row =
                (tile - rank + (rank + 1) % c.cluster) * c.rows +
                at[0] % c.rows;
            return row < p.size("M") ? p["X"](row, at[1]) : 0;
          },
          0};
}

/// Each row block of D is the sum of those of all CTAs in the cluster, of two
/// dimensions: in a loop over their ranks.
Feature sum() {
  return {"the sum over a cluster of two dimensions",
          [] {
            return kernel("sum", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
              cluster({2, 2});
              TileLoop tiles = persistent({M, N}, {16, 32});
              SharedTile tile = shared(f32, {8, 32});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles)
                  for (Index half : range(2)) {
                    Index row = m * 16 + half * 8;
                    store(tile, load(X.at({row, n * 32}), {8, 32}));
                    cluster_sync();
                    Fragment all = zeros(f32, {8, 32});
                    for (Index rank : range(4))
                      all = all + load(tile.peer(rank));
                    cluster_sync();
                    store(D.at({row, n * 32}), all);
                  }
              });
            });
          },
          {{{"M", 32}, {"N", 64}}, {{"M", 100}, {"N", 200}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t i : {0, 1})
              for (int64_t j : {0, 1}) {
                const int64_t row = at[0] / 32 * 32 + i * 16 + at[0] % 16;
                const int64_t column = at[1] / 64 * 64 + j * 32 + at[1] % 32;
                if (row < p.size("M") && column < p.size("N"))
                  sum += p["X"](row, column);
              }
            return sum;
          },
          1e-6};
}

/// D = A · Bᵀ: each CTA of two loads half of the rows of B, stores it in both,
/// and multiplies with the whole. Products are in flight when the CTAs meet.
Feature product(int64_t warpgroupCount) {
  return {"products with what a peer has stored, by " +
              std::to_string(warpgroupCount) + " warpgroups",
          [=] {
            return kernel("product", [=] {
              constexpr int64_t bk = 64, bn = 64;
              const int64_t bm = 64 * warpgroupCount;
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
              Tensor D = output("D", f32, {M, N});
              cluster({2, 1});
              TileLoop tiles = persistent({M, N}, {bm, bn});
              Pipeline ring = pipeline(2, smem(bf16, {bm, bk}));
              SharedTile b = shared(bf16, {bn, bk});
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, bk))) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, k}), s[0]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(warpgroupCount), [&] {
                Index rank = cluster_rank();
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {bm, bn});
                  for (Index k : range(ceil_div(K, bk))) {
                    Fragment half = load(
                        B.at({n * bn + rank * (bn / 2), k * bk}), {bn / 2, bk});
                    cluster_sync(); // both have multiplied with what was there
                    store(slice(b, {rank * (bn / 2), 0}, {bn / 2, bk}), half);
                    store(slice(b.peer(1 - rank), {rank * (bn / 2), 0},
                                {bn / 2, bk}),
                          half);
                    cluster_sync();
                    Stage s = ring.wait();
                    acc = mma(s[0], b.T(), acc);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), acc);
                }
              });
            });
          },
          {{{"M", 128}, {"N", 64}, {"K", 64}},
           {{"M", 200}, {"N", 136}, {"K", 200}}},
          gemmReference,
          1e-5};
}

/// One role stores to the peers, another reads what has come: they meet at a
/// barrier, and the storing roles of all CTAs before that.
Feature ofTwoRoles() {
  return {"a role that stores to peers and one that reads",
          [] {
            return kernel("two_roles", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
              cluster({2});
              TileLoop tiles = persistent({M}, {32});
              SharedTile tile = shared(f32, {32, 64});
              Barrier full = barrier("full"), empty = barrier("empty");
              role("send", warps(2), [&] {
                Index other = 1 - cluster_rank();
                for (auto [m] : tiles)
                  for (Index n : range(ceil_div(N, 64))) {
                    store(tile.peer(other), load(X.tile({m, n}), {32, 64}));
                    cluster_sync();
                    full.sync();
                    empty.sync();
                    cluster_sync();
                  }
              });
              role("store", warps(4), [&] {
                for (auto [m] : tiles)
                  for (Index n : range(ceil_div(N, 64))) {
                    full.sync();
                    store(D.tile({m, n}), load(tile));
                    empty.sync();
                  }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 500}, {"N", 200}}},
          [](const Problem &p, Coordinate at) {
            const int64_t row = at[0] / 64 * 64 + (at[0] + 32) % 64;
            return row < p.size("M") ? p["X"](row, at[1]) : 0;
          },
          0};
}

/// CTAs that tell one another by counters, and meet only when they end.
Feature signalled() {
  return {"peers that wait for signals",
          [] {
            return kernel("signalled", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
              Tensor done = inout("Done", s32, {M, N}, align(4));
              cluster({2, 1});
              TileLoop tiles = grid({M, N}, {32, 64});
              SharedTile tile = shared(f32, {32, 64});
              role("all", warps(4), [&] {
                Index other = 1 - cluster_rank();
                for (auto [m, n] : tiles) {
                  store(tile.peer(other), load(X.tile({m, n}), {32, 64}));
                  signal(done.at({m, n}));
                  await(done.at({m + other - cluster_rank(), n}), 1);
                  store(D.tile({m, n}), load(tile));
                }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 384}, {"N", 136}}},
          [](const Problem &p, Coordinate at) {
            return p["X"](at[0] / 64 * 64 + (at[0] + 32) % 64, at[1]);
          },
          0,
          {},
          "D",
          {"Done"}};
}

/// Loads from the peer whose rank P is, and ends with what is found wrong.
[[noreturn]] void launchAndReport(double rank) {
  Kernel k = kernel("no_peer", [] {
    Size N = size("N");
    Tensor P = input("P", s32, {4}, align(4)), D = output("D", f32, {N, 32});
    cluster({2});
    TileLoop tiles = grid({N}, {8});
    SharedTile tile = shared(f32, {8, 32});
    role("all", warps(4), [&] {
      for (auto [n] : tiles) {
        store(tile, full(f32, {8, 32}, 3));
        cluster_sync();
        store(D.tile({n, 0}), load(tile.peer(load_index(P.at({0})))));
      }
    });
  });
  launchAndExit(k, {{"N", 16}},
                {{"P", [=](const Problem &, Coordinate) { return rank; }}});
}

TEST(Peers, EndTheLaunchWhereThereAreNone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char *sentence = "the rank of the peer is from 0 to 1";
  EXPECT_EXIT(launchAndReport(1), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launchAndReport(2), testing::ExitedWithCode(3), sentence);
  EXPECT_EXIT(launchAndReport(-1), testing::ExitedWithCode(3), sentence);
}

std::vector<Feature> features() {
  using enum Shift::How;
  std::vector<Feature> all;
  for (ElementType type : {f32, bf16, s16, e4m3, s8, s32})
    for (auto [how, what] :
         {std::pair{loaded, "loaded from"}, std::pair{stored, "stored to"}})
      all.push_back(
          feature(Shift{.name = "tiles of " + std::string(name(type)) + " " +
                                what + " a peer",
                        .type = type,
                        .how = how}));
  for (const Shift &c : std::initializer_list<Shift>{
           {.name = "tiles loaded by one warp", .count = 1},
           {.name = "tiles stored by 8 warps", .count = 8, .how = stored},
           {.name = "tiles of a cluster of four", .cluster = 4},
           {.name = "tiles stored in a cluster of eight",
            .cluster = 8,
            .how = stored},
           {.name = "wide tiles of bf16 of peers",
            .type = bf16,
            .columns = 192},
           {.name = "tiles of peers seen transposed", .how = turned},
           {.name = "tiles of bf16 of peers seen transposed",
            .type = bf16,
            .how = turned},
           {.name = "parts of tiles stored to a peer",
            .type = bf16,
            .how = inParts},
           {.name = "tiles of peers copied out by TMA", .how = copiedOut},
           {.name = "tiles of bf16 of four peers copied out by TMA",
            .type = bf16,
            .cluster = 4,
            .how = copiedOut},
           {.name = "tiles of peers in ping pong", .how = inPingPong},
       })
    all.push_back(feature(c));
  all.push_back(sum());
  all.push_back(product(1));
  all.push_back(product(2));
  all.push_back(ofTwoRoles());
  all.push_back(signalled());
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
