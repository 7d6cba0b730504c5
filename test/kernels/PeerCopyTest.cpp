// Copies of shared tiles to those of other CTAs of the cluster, by the copy
// engine.

#include "test/corpus/Dice.h"
#include "test/kernels/Feature.h"

#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

struct Sent {
  std::string name;
  ElementType type = f32;
  Warps warps = ashlar::warps(4);
  int64_t cluster = 2;
  int64_t rows = 32, columns = 64;
  enum How {
    whole,
    inParts,    ///< of rows, at run-time places
    inBlocks,   ///< of columns
    fromAStage, ///< that TMA has filled, and fills again
    toAPart,    ///< of another, larger tile: pieces that lie apart
    underIf,    ///< by the CTAs of an even rank, while the others store
  } how = whole;
};

/// The tile of D is that of X which the next CTA of the cluster has.
Kernel sent(const Sent &c) {
  return kernel("sent", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N}), D = output("D", c.type, {M, N});
    cluster({c.cluster});
    TileLoop tiles = persistent({M}, {c.rows});
    const Shape shape{c.rows, c.columns};
    SharedTile out = shared(c.type, shape),
               in = shared(c.type, c.how == Sent::toAPart
                                       ? Shape{2 * c.rows, 2 * c.columns}
                                       : shape);
    Pipeline ring =
        pipeline(c.how == Sent::fromAStage ? 2 : 1, smem(c.type, shape));
    auto forEach = [&](const std::function<void(Index, Index)> &body) {
      for (auto [m] : tiles)
        for (Index n : range(ceil_div(N, c.columns)))
          body(m, n);
    };
    role("load", warps(1), [&] {
      forEach([&](Index m, Index n) {
        Stage s = ring.acquire();
        copy(X.tile({m, n}), s[0]);
        ring.commit(s);
      });
    });
    role("all", c.warps, [&] {
      Index rank = cluster_rank(),
            previous = (rank + (c.cluster - 1)) % c.cluster;
      forEach([&](Index m, Index n) {
        Stage s = ring.wait();
        Fragment x = load(s[0]);
        if (c.how != Sent::fromAStage && c.how != Sent::inParts)
          store(out, x);
        switch (c.how) {
        case Sent::whole:
          copy(out, in.peer(previous));
          break;
        case Sent::inParts:
          for (Index i : range(c.rows / 8)) {
            SharedTile part = slice(out, {i * 8, 0}, {8, c.columns});
            store(part, load(slice(s[0], {i * 8, 0}, {8, c.columns})));
            copy(part, slice(in.peer(previous), {i * 8, 0}, {8, c.columns}));
          }
          break;
        case Sent::inBlocks:
          for (int64_t i = 0; i < c.columns; i += 32)
            copy(slice(out, {0, i}, {c.rows, 32}),
                 slice(in.peer(previous), {0, i}, {c.rows, 32}));
          break;
        case Sent::fromAStage:
          copy(s[0], in.peer(previous));
          break;
        case Sent::toAPart:
          copy(out, slice(in.peer(previous), {c.rows, c.columns}, shape));
          break;
        case Sent::underIf:
          when(
              rank % 2 == 0, [&] { copy(out, in.peer(previous)); },
              [&] { store(in.peer(previous), x); });
          break;
        }
        cluster_sync();
        ring.release(s);
        store(D.tile({m, n}), load(c.how == Sent::toAPart
                                       ? slice(in, {c.rows, c.columns}, shape)
                                       : in));
        cluster_sync();
      });
    });
  });
}

Feature feature(const Sent &c) {
  return {c.name,
          [c] { return sent(c); },
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

/// Each tile of D is the sum of those of X that the CTAs of the cluster have:
/// they hand them round, and meet once for each step. What a CTA is sent it
/// sends on from where the one behind it is sent the next.
Feature handedRound(int64_t cluster) {
  constexpr int64_t rows = 32, columns = 64;
  return {"tiles handed round " + std::to_string(cluster) + " CTAs",
          [=] {
            return kernel("handed_round", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
              ashlar::cluster({cluster});
              TileLoop tiles = persistent({M}, {rows});
              SharedTile a = shared(f32, {rows, columns}),
                         b = shared(f32, {rows, columns});
              role("all", warps(4), [&] {
                Index next = (cluster_rank() + 1) % cluster;
                for (auto [m] : tiles)
                  for (Index n : range(ceil_div(N, columns))) {
                    Fragment sum = load(X.tile({m, n}), {rows, columns});
                    store(a, sum);
                    for (int64_t step = 1; step < cluster; ++step) {
                      const SharedTile &from = step % 2 ? a : b,
                                       &to = step % 2 ? b : a;
                      copy(from, to.peer(next));
                      cluster_sync();
                      sum = sum + load(to);
                    }
                    store(D.tile({m, n}), sum);
                    cluster_sync(); // all have taken the last one
                  }
              });
            });
          },
          {{{"M", rows * cluster}, {"N", columns}}, {{"M", 500}, {"N", 200}}},
          [=](const Problem &p, Coordinate at) {
            const int64_t group = rows * cluster;
            double sum = 0;
            for (int64_t row = at[0] / group * group + at[0] % rows, i = 0;
                 i < cluster; ++i, row += rows)
              sum += row < p.size("M") ? p["X"](row, at[1]) : 0;
            return sum;
          },
          1e-6};
}

/// D = A · Bᵀ: each CTA of two has half of the rows of B brought to a stage,
/// and copies it to both, from where wgmma reads it.
Feature product(int64_t warpgroupCount) {
  return {"products with what a peer has copied, by " +
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
              Pipeline ring =
                  pipeline(2, smem(bf16, {bm, bk}), smem(bf16, {bn / 2, bk}));
              SharedTile b = shared(bf16, {bn, bk});
              role("load", warps(1), [&] {
                Index rank = cluster_rank();
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, bk))) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, k}), s[0]);
                    copy(B.at({n * bn + rank * (bn / 2), k * bk}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(warpgroupCount), [&] {
                Index rank = cluster_rank();
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {bm, bn});
                  for (Index k : range(ceil_div(K, bk))) {
                    Stage s = ring.wait();
                    cluster_sync(); // both have multiplied with what was there
                    for (Index other : range(2))
                      copy(s[1], slice(b.peer(other), {rank * (bn / 2), 0},
                                       {bn / 2, bk}));
                    cluster_sync();
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

/// A role sends what others have stored, and tells another what has come.
Feature ofThreeRoles() {
  return {
      "a role that only copies to peers",
      [] {
        return kernel("three_roles", [] {
          Size M = size("M"), N = size("N");
          Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
          cluster({2});
          TileLoop tiles = persistent({M}, {32});
          SharedTile out = shared(f32, {32, 64}), in = shared(f32, {32, 64});
          Barrier stored = barrier("stored"), sent = barrier("sent"),
                  taken = barrier("taken");
          auto forEach = [&](const std::function<void(Index, Index)> &body) {
            for (auto [m] : tiles)
              for (Index n : range(ceil_div(N, 64)))
                body(m, n);
          };
          role("fill", warps(4), [&] {
            forEach([&](Index m, Index n) {
              store(out, load(X.tile({m, n}), {32, 64}));
              stored.sync();
              sent.sync();
            });
          });
          role("send", warps(1), [&] {
            Index other = 1 - cluster_rank();
            forEach([&](Index, Index) {
              stored.sync();
              copy(out, in.peer(other));
              cluster_sync();
              sent.sync();
              taken.sync();
              cluster_sync();
            });
          });
          role("take", warps(2), [&] {
            forEach([&](Index m, Index n) {
              sent.sync();
              store(D.tile({m, n}), load(in));
              taken.sync();
            });
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

//===-- Drawn by chance ---------------------------------------------------===//

/// What a role does between two meetings, some times over: copies to peers so
/// far further on, from tiles that it may store to and load before, to ones
/// that nobody else touches. It loads its own tiles, and from peers those that
/// nobody stores to.
struct Interval {
  struct Copy {
    int64_t from, to, distance;
  };
  struct Load {
    int64_t tile, distance;
  };
  std::vector<int64_t> doubled; ///< tiles
  std::vector<Load> added;
  std::vector<Copy> copies;
  bool isRepeated;
};

struct Exchange {
  int64_t cluster, warps;
  bool inPingPong;
  std::vector<Interval> intervals;
};

constexpr int64_t tileCount = 4, tileRows = 16, tileColumns = 32;

Exchange drawExchange(uint64_t seed) {
  corpus::Dice dice(seed);
  Exchange all{dice.of<int64_t>({2, 4, 8}),
               dice.of<int64_t>({1, 2, 4, 8}),
               dice.oneIn(5),
               {}};
  for (int64_t count = dice.between(2, 6); count > 0; --count) {
    Interval interval{{}, {}, {}, dice.percent(40)};
    std::vector<int64_t> sources, targets;
    for (int64_t tile = 0; tile < tileCount; ++tile)
      (dice.oneIn(2) ? sources : targets).push_back(tile);
    for (int64_t tile : sources) {
      const bool stores = dice.percent(30);
      if (stores)
        interval.doubled.push_back(tile);
      if (dice.percent(40))
        interval.added.push_back(
            {tile, stores ? 0 : dice.between(0, all.cluster - 1)});
    }
    for (int64_t to : targets)
      if (!sources.empty() && dice.percent(60))
        interval.copies.push_back(
            {dice.of(sources), to, dice.between(0, all.cluster - 1)});
    all.intervals.push_back(interval);
  }
  return all;
}

Kernel build(const Exchange &all) {
  return kernel("exchange", [&] {
    Size M = size("M"), R = size("R");
    Tensor X = input("X", f32, {M, tileColumns}),
           D = output("D", f32, {M, tileColumns});
    cluster({all.cluster});
    TileLoop tiles = persistent({M}, {tileRows});
    std::vector<SharedTile> tile;
    for (int64_t i = 0; i < tileCount; ++i)
      tile.push_back(shared(f32, {tileRows, tileColumns}));
    auto body = [&] {
      Index rank = cluster_rank();
      for (auto [m] : tiles) {
        Fragment sum = zeros(f32, {tileRows, tileColumns});
        Fragment x = load(X.tile({m, 0}), {tileRows, tileColumns});
        for (int64_t i = 0; i < tileCount; ++i)
          store(tile[i], x * double(i + 1));
        cluster_sync();
        for (const Interval &interval : all.intervals) {
          auto once = [&] {
            for (int64_t i : interval.doubled)
              store(tile[i], load(tile[i]) * 2);
            for (const Interval::Copy &each : interval.copies)
              copy(tile[each.from],
                   tile[each.to].peer((rank + each.distance) % all.cluster));
            for (const Interval::Load &each : interval.added) {
              const SharedTile &own = tile[each.tile];
              Index peer = (rank + each.distance) % all.cluster;
              sum = sum * 0.5 + load(each.distance ? own.peer(peer) : own);
            }
            cluster_sync();
          };
          if (!interval.isRepeated)
            once();
          else
            for ([[maybe_unused]] Index turn : range(R))
              once();
        }
        for (int64_t i = 0; i < tileCount; ++i)
          sum = sum * 0.5 + load(tile[i]);
        store(D.tile({m, 0}), sum);
      }
    };
    role("all", all.inPingPong ? ping_pong(2) : warps(all.warps), body);
  });
}

/// What the CTAs of a cluster do for one element of each of their tiles.
double resultOf(const Exchange &all, int64_t turns, int64_t rank,
                const std::vector<double> &x) {
  std::vector<std::vector<double>> tiles(x.size());
  for (size_t cta = 0; cta < x.size(); ++cta)
    for (int64_t i = 0; i < tileCount; ++i)
      tiles[cta].push_back(x[cta] * double(i + 1));
  double sum = 0;
  auto add = [&](int64_t tile, int64_t distance) {
    sum = sum * 0.5 + tiles[(rank + distance) % x.size()][tile];
  };
  for (const Interval &interval : all.intervals)
    for (int64_t turn = 0; turn < (interval.isRepeated ? turns : 1); ++turn) {
      for (auto &ofCta : tiles)
        for (int64_t i : interval.doubled)
          ofCta[i] *= 2;
      for (const Interval::Load &each : interval.added)
        add(each.tile, each.distance);
      for (const Interval::Copy &each : interval.copies)
        for (size_t cta = 0; cta < x.size(); ++cta)
          tiles[(cta + each.distance) % x.size()][each.to] =
              tiles[cta][each.from];
    }
  for (int64_t i = 0; i < tileCount; ++i)
    add(i, 0);
  return sum;
}

Feature drawn(uint64_t seed) {
  const Exchange all = drawExchange(seed);
  return {"copies to peers, drawn by " + std::to_string(seed),
          [all] { return build(all); },
          {{{"M", tileRows * all.cluster}, {"R", 1}}, {{"M", 500}, {"R", 3}}},
          [all](const Problem &p, Coordinate at) {
            const int64_t tile = at[0] / tileRows, rank = tile % all.cluster;
            std::vector<double> x;
            for (int64_t cta = 0; cta < all.cluster; ++cta) {
              const int64_t row =
                  (tile - rank + cta) * tileRows + at[0] % tileRows;
              x.push_back(row < p.size("M") ? p["X"](row, at[1]) : 0);
            }
            return resultOf(all, p.size("R"), rank, x);
          },
          1e-5};
}

std::vector<Feature> features() {
  using enum Sent::How;
  std::vector<Feature> all;
  for (ElementType type : {f32, bf16, e4m3, s32, e2m1})
    all.push_back(feature(
        {.name = "tiles of " + std::string(name(type)) + " copied to a peer",
         .type = type}));
  for (const Sent &c : std::initializer_list<Sent>{
           {.name = "tiles copied to peers by one warp", .warps = warps(1)},
           {.name = "tiles copied to peers by 8 warps", .warps = warps(8)},
           {.name = "tiles copied in a cluster of four", .cluster = 4},
           {.name = "tiles copied in a cluster of eight", .cluster = 8},
           {.name = "wide tiles of bf16 copied to a peer",
            .type = bf16,
            .columns = 192},
           {.name = "rows of a tile copied to a peer",
            .type = bf16,
            .how = inParts},
           {.name = "columns of a tile copied to a peer",
            .columns = 128,
            .how = inBlocks},
           {.name = "tiles copied to a peer from a stage", .how = fromAStage},
           {.name = "tiles copied to a part of a peer's",
            .type = bf16,
            .how = toAPart},
           {.name = "tiles that some copy to a peer, and others store",
            .cluster = 4,
            .how = underIf},
       })
    all.push_back(feature(c));
  all.push_back(handedRound(2));
  all.push_back(handedRound(4));
  all.push_back(product(1));
  all.push_back(product(2));
  all.push_back(ofThreeRoles());
  for (uint64_t seed = 0; seed < 12; ++seed)
    all.push_back(drawn(seed));
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
