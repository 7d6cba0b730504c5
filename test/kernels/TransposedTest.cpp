// Tiles of shared memory read and written with rows as columns.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

struct Transposed {
  std::string name;
  ElementType type = bf16;
  int64_t rows = 64, columns = 64;
  int64_t count = 4; ///< warps
  enum How {
    read,    ///< load(tile.T()), and stored as it is
    written, ///< load(tile), and stored to tile.T()
    twice,   ///< both: a copy
    toGlobal,
    fromGlobal,
  } how = read;
};

/// D = Xᵀ, tile by tile, by threads that load it.
Kernel transposedFromGlobal(const Transposed &c) {
  return kernel("transposed", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N});
    Tensor D = output("D", c.type, {N, M});
    TileLoop tiles = persistent({M, N}, {c.rows, c.columns});
    SharedTile turned = shared(c.type, {c.columns, c.rows});
    role("turn", warps(c.count), [&] {
      for (auto [m, n] : tiles) {
        store(turned.T(), load(X.tile({m, n}), {c.rows, c.columns}));
        copy(turned, D.tile({n, m}));
      }
    });
  });
}

/// D = Xᵀ, tile by tile, or D = X.
Kernel transposed(const Transposed &c) {
  if (c.how == Transposed::fromGlobal)
    return transposedFromGlobal(c);
  return kernel("transposed", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N});
    const bool copies = c.how == Transposed::twice;
    Tensor D =
        copies ? output("D", c.type, {M, N}) : output("D", c.type, {N, M});
    TileLoop tiles = persistent({M, N}, {c.rows, c.columns});
    Pipeline ring = pipeline(3, smem(c.type, {c.rows, c.columns}));
    SharedTile turned = shared(c.type, copies ? Shape{c.rows, c.columns}
                                              : Shape{c.columns, c.rows});
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({m, n}), s[0]);
        ring.commit(s);
      }
    });
    role("turn", warps(c.count), [&] {
      for (auto [m, n] : tiles) {
        TileRef target = copies ? D.tile({m, n}) : D.tile({n, m});
        Stage s = ring.wait();
        Fragment x = load(c.how == Transposed::written ? s[0] : s[0].T());
        ring.release(s);
        if (c.how == Transposed::toGlobal) {
          store(target, x);
          continue;
        }
        store(c.how == Transposed::read ? turned : turned.T(), x);
        copy(turned, target);
      }
    });
  });
}

Feature feature(const Transposed &c) {
  std::vector<Sizes> problems{{{"M", 200}, {"N", 136}},
                              {{"M", 64}, {"N", 64}},
                              {{"M", 48}, {"N", 320}}};
  return {c.name, [c] { return transposed(c); }, problems,
          [c](const Problem &p, Coordinate at) {
            return c.how == Transposed::twice ? p["X"](at[0], at[1])
                                              : p["X"](at[1], at[0]);
          },
          0};
}

/// A of a product from registers, read transposed: D = Aᵀ · B.
Feature operand(ElementType type) {
  return {"an operand of " + std::string(name(type)) + " read transposed",
          [type] {
            return kernel("operand", [type] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", type, {K, M}), B = input("B", type, {N, K});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {128, 64});
              Pipeline ring =
                  pipeline(3, smem(type, {64, 128}), smem(type, {64, 64}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({k, m}), s[0]);
                    copy(B.tile({n, k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(2), [&] {
                for (auto [m, n] : tiles) {
                  Fragment sum = zeros(f32, {128, 64});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    sum = mma(load(s[0].T()), s[1].T(), sum);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), sum);
                }
              });
            });
          },
          {{{"M", 200}, {"N", 136}, {"K", 136}},
           {{"M", 128}, {"N", 64}, {"K", 64}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < p.size("K"); ++k)
              sum += p["A"](k, at[0]) * p["B"](at[1], k);
            return sum;
          },
          1e-5};
}

std::vector<Feature> features() {
  using enum Transposed::How;
  std::vector<Feature> all;
  for (ElementType type : {bf16, f16, s16, f32, s32, tf32, s8, e4m3})
    for (auto [how, what] :
         {std::pair{read, "read"}, std::pair{written, "written"}}) {
      all.push_back(feature({.name = "a tile of " + std::string(name(type)) +
                                     " " + what + " transposed",
                             .type = type,
                             .how = how}));
    }
  for (const Transposed &c : std::initializer_list<Transposed>{
           {.name = "tall tiles read transposed", .rows = 128, .columns = 32},
           {.name = "wide tiles read transposed", .rows = 16, .columns = 128},
           {.name = "tiles of 8 rows read transposed",
            .rows = 8,
            .columns = 64},
           {.name = "tiles read transposed by 8 warps", .count = 8},
           {.name = "tiles read transposed by one warp", .count = 1},
           {.name = "tiles written transposed by 3 warps",
            .rows = 48,
            .columns = 64,
            .count = 3,
            .how = written},
           {.name = "f32 tiles of 3 warps written transposed",
            .type = f32,
            .rows = 48,
            .columns = 32,
            .count = 3,
            .how = written},
           {.name = "wide f32 tiles read transposed",
            .type = f32,
            .rows = 8,
            .columns = 128},
           {.name = "tiles transposed twice", .how = twice},
           {.name = "f32 tiles transposed twice", .type = f32, .how = twice},
           {.name = "tiles read transposed and stored by threads",
            .how = toGlobal},
           {.name = "f32 tiles read transposed and stored by threads",
            .type = f32,
            .how = toGlobal},
           {.name = "tiles loaded by threads and written transposed",
            .how = fromGlobal},
           {.name = "s8 tiles loaded by threads and written transposed",
            .type = s8,
            .how = fromGlobal},
       })
    all.push_back(feature(c));
  for (ElementType type : {bf16, f16})
    all.push_back(operand(type));
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
