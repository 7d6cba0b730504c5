// Shared tiles that outlive a loop: written in one, read behind it and in the
// next, by roles of one and of several warps.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

constexpr int64_t rows = 64, columns = 64, blocks = 8, step = rows / blocks;

struct Kept {
  std::string name;
  ElementType type = f32;
  int64_t count = 4; ///< warps
  enum How {
    inParts,    ///< written part by part, read whole, then in reverse
    summed,     ///< each iteration adds to it
    transposed, ///< read with rows as columns, by other threads
    copiedOut,  ///< by TMA, whole and in parts
    perhaps,    ///< written in a branch, by the iterations of even number
    values,     ///< read element by element
  } how = inParts;
};

double twice(const Problem &p, Coordinate at) {
  return 2 * p["X"](at[0], at[1]);
}

Kernel keep(const Kept &c) {
  return kernel("kept", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N}), D = output("D", c.type, {M, N});
    TileLoop tiles = persistent({M}, {rows});
    SharedTile tile = shared(c.type, {rows, columns});
    role("all", warps(c.count), [&] {
      for (auto [m] : tiles)
        for (Index n : range(ceil_div(N, columns))) {
          const Shape part{step, columns};
          auto from = [&](const Index &i) {
            return X.at({m * rows + i * step, n * columns});
          };
          auto to = [&](const Index &i) {
            return D.at({m * rows + i * step, n * columns});
          };
          auto fill = [&] {
            for (Index i : range(blocks))
              store(slice(tile, {i * step, 0}, part), load(from(i), part));
          };
          switch (c.how) {
          case Kept::inParts: {
            fill();
            Fragment whole = load(tile);
            store(tile, whole + whole);
            for (Index i : range(blocks)) {
              Index last = blocks - 1 - i;
              store(to(last), load(slice(tile, {last * step, 0}, part)));
            }
            break;
          }
          case Kept::summed:
            store(tile, zeros(c.type, {rows, columns}));
            for (Index i : range(2))
              store(tile, load(tile) + load(X.tile({m, n}), {rows, columns}));
            store(D.tile({m, n}), load(tile));
            break;
          case Kept::transposed: {
            fill();
            Fragment turned = load(tile.T());
            store(tile, turned + turned);
            for (Index i : range(2))
              when(i == 1, [&] { store(D.tile({m, n}), load(tile.T())); });
            break;
          }
          case Kept::copiedOut:
            for (Index i : range(blocks)) {
              Fragment x = load(from(i), part);
              store(slice(tile, {i * step, 0}, part), x + x);
            }
            when(n % 2 == 0, [&] { copy(tile, D.tile({m, n})); });
            for (Index i : range(select(n % 2 == 0, 0, blocks)))
              copy(slice(tile, {i * step, 0}, part), to(i));
            break;
          case Kept::perhaps:
            store(tile, load(X.tile({m, n}), {rows, columns}));
            for (Index i : range(blocks))
              when(i % 2 == 0, [&] {
                SharedTile rest = slice(tile, {i * step, 0}, part);
                Fragment x = load(rest);
                store(rest, x + x);
              });
            for (Index i : range(blocks)) {
              Fragment x = load(slice(tile, {i * step, 0}, part));
              when(
                  i % 2 == 0, [&] { store(to(i), x); },
                  [&] { store(to(i), x + x); });
            }
            break;
          case Kept::values:
            fill();
            for (Index i : range(rows)) {
              Scalar first = load_scalar(tile, {i, 0});
              Fragment x =
                  load(X.at({m * rows + i, n * columns}), {1, columns});
              store(D.at({m * rows + i, n * columns}),
                    x + select(ashlar::columns({1, columns}) == 0,
                               full(f32, {1, columns}, first), x));
            }
            break;
          }
        }
    });
  });
}

Feature feature(const Kept &c) {
  return {c.name,
          [c] { return keep(c); },
          {{{"M", 64}, {"N", 64}}, {{"M", 200}, {"N", 136}}},
          twice,
          c.type == f32 ? 1e-6 : 5e-3};
}

/// B of a product is loaded once, part by part, for all tiles of a role, and
/// its products are summed in a tile as well: D = A · Bᵀ.
Feature operand(int64_t warpgroupCount) {
  return {"an operand that outlives the loop that loads it, of " +
              std::to_string(warpgroupCount) + " warpgroups",
          [=] {
            return kernel("operand", [=] {
              constexpr int64_t depth = 128;
              const int64_t bm = 64 * warpgroupCount;
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
              Tensor D = output("D", f32, {M, N});
              TileLoop strips = persistent({N}, {columns});
              Pipeline ring = pipeline(2, smem(bf16, {bm, depth}));
              SharedTile b = shared(bf16, {columns, depth});
              SharedTile staged = shared(f32, {bm, columns});
              role("load", warps(1), [&] {
                for (auto [n] : strips)
                  for (Index m : range(ceil_div(M, bm))) {
                    Stage s = ring.acquire();
                    copy(A.at({m * bm, 0}), s[0]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(warpgroupCount), [&] {
                for (auto [n] : strips) {
                  for (Index i : range(columns / 8))
                    store(slice(b, {i * 8, 0}, {8, depth}),
                          load(B.at({n * columns + i * 8, 0}), {8, depth}));
                  for (Index m : range(ceil_div(M, bm))) {
                    store(staged, zeros(f32, {bm, columns}));
                    Stage s = ring.wait();
                    for (Index k : range(2)) {
                      Fragment part =
                          mma(slice(s[0], {0, k * 64}, {bm, 64}),
                              slice(b, {0, k * 64}, {columns, 64}).T(),
                              zeros(f32, {bm, columns}));
                      store(staged, load(staged) + part);
                    }
                    ring.release(s);
                    copy(staged, D.at({m * bm, n * columns}));
                  }
                }
              });
            });
          },
          {{{"M", 128}, {"N", 64}, {"K", 128}},
           {{"M", 300}, {"N", 136}, {"K", 104}}},
          gemmReference,
          1e-5};
}

std::vector<Feature> features() {
  using enum Kept::How;
  std::vector<Feature> all;
  for (auto [how, what] :
       {std::pair{inParts, "written in parts"}, std::pair{summed, "summed"},
        std::pair{transposed, "read transposed"},
        std::pair{copiedOut, "copied out"},
        std::pair{perhaps, "written in a branch"},
        std::pair{values, "read by element"}})
    for (int64_t count : {1, 4, 8})
      for (ElementType type : {f32, bf16})
        // A warp has no registers for 64x64 of f32 twice, one for them once.
        if (count > 1 || type == bf16)
          if (how != values || type == f32)
            all.push_back(feature(
                {.name = "a tile of " + std::string(name(type)) + " " + what +
                         " by " + std::to_string(count) + " warps",
                 .type = type,
                 .count = count,
                 .how = how}));
  all.push_back(operand(1));
  all.push_back(operand(2));
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
