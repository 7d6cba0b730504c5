// Rows by indices: read into fragments and stages, and written.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// An index of row m: some lie before and behind the rows there are.
int64_t indexOf(const Problem &p, int64_t m) {
  return (m * 37 + 11) % (p.size("T") + 6) - 3;
}

std::vector<Input> indices() {
  return {{"Rows", [](const Problem &p, Coordinate at) {
             return double(indexOf(p, at[0]));
           }}};
}

double rowOrZero(const Problem &p, int64_t m, int64_t n) {
  const int64_t row = indexOf(p, m);
  return row >= 0 && row < p.size("T") ? p["X"](row, n) : 0;
}

const std::vector<Sizes> problems = {
    {{"M", 100}, {"T", 50}, {"N", 200}},
    {{"M", 64}, {"T", 300}, {"N", 64}},
    {{"M", 1}, {"T", 1}, {"N", 8}},
};

Feature loaded(ElementType type, Shape shape, int64_t count,
               int64_t alignment) {
  return {
      "rows of " + std::string(name(type)) + " aligned to " +
          std::to_string(alignment) + " loaded by " + std::to_string(count) +
          " warps",
      [=] {
        return kernel("loaded", [&] {
          Size M = size("M"), T = size("T"), N = size("N");
          Tensor X = input("X", type, {T, N}, align(alignment));
          Tensor rows = input("Rows", s32, {M}, align(4));
          Tensor D = output("D", type, {M, N}, align(alignment));
          TileLoop tiles = persistent({M, N}, {shape[0], shape[1]});
          role("all", warps(count), [&] {
            for (auto [m, n] : tiles)
              store(D.tile({m, n}),
                    load(X.tile({0, n}).rows(rows.at({m * shape[0]})), shape));
          });
        });
      },
      problems,
      [](const Problem &p, Coordinate at) {
        return rowOrZero(p, at[0], at[1]);
      },
      0,
      {},
      "D",
      {},
      indices()};
}

/// By cp.async, or element by element where less is aligned.
Feature copied(ElementType type, Shape shape, int64_t alignment) {
  return {"rows of " + std::string(name(type)) + " aligned to " +
              std::to_string(alignment) + " copied to a stage",
          [=] {
            return kernel("copied", [&] {
              Size M = size("M"), T = size("T"), N = size("N");
              Tensor X = input("X", type, {T, N}, align(alignment));
              Tensor rows = input("Rows", s32, {M}, align(4));
              Tensor D = output("D", type, {M, N}, align(alignment));
              TileLoop tiles = persistent({M, N}, {shape[0], shape[1]});
              Pipeline ring = pipeline(3, smem(type, shape));
              role("load", warps(2), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({0, n}).rows(rows.at({m * shape[0]})), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  store(D.tile({m, n}), load(s[0]));
                  ring.release(s);
                }
              });
            });
          },
          problems,
          [](const Problem &p, Coordinate at) {
            return rowOrZero(p, at[0], at[1]);
          },
          0,
          {},
          "D",
          {},
          indices()};
}

/// D's rows are permuted, and those that no index names stay as they are.
Feature stored() {
  return {"rows stored by indices",
          [] {
            return kernel("stored", [] {
              Size M = size("M"), T = size("T"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor rows = input("Rows", s32, {M}, align(4));
              Tensor D = inout("D", f32, {T, N});
              TileLoop tiles = persistent({M, N}, {16, 32});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles)
                  store(D.tile({0, n}).rows(rows.at({m * 16})),
                        load(X.tile({m, n}), {16, 32}));
              });
            });
          },
          {{{"M", 40}, {"T", 50}, {"N", 72}}},
          [](const Problem &p, Coordinate at) {
            for (int64_t m = 0; m < p.size("M"); ++m)
              if (indexOf(p, m) == at[0])
                return p["X"](m, at[1]);
            return 0.0;
          },
          0,
          {},
          "D",
          {"D"},
          indices()};
}

/// D's columns are chosen rows of X, or X's columns chosen rows of D.
Feature turned(bool isLoaded) {
  return {isLoaded ? "chosen rows loaded as columns"
                   : "columns stored as chosen rows",
          [=] {
            return kernel("turned", [&] {
              Size M = size("M"), T = size("T"), N = size("N");
              Tensor X = isLoaded ? input("X", bf16, {T, N})
                                  : input("X", bf16, {N, M});
              Tensor rows = input("Rows", s32, {M}, align(4));
              Tensor D = isLoaded ? inout("D", bf16, {N, M})
                                  : inout("D", bf16, {T, N});
              TileLoop tiles = persistent({M, N}, {16, 32});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles)
                  if (isLoaded)
                    store(D.tile({n, m}),
                          load(X.tile({0, n}).rows(rows.at({m * 16})).T(),
                               {32, 16}));
                  else
                    store(D.tile({0, n}).rows(rows.at({m * 16})).T(),
                          load(X.tile({n, m}), {32, 16}));
              });
            });
          },
          {{{"M", 40}, {"T", 50}, {"N", 72}}},
          [=](const Problem &p, Coordinate at) {
            if (isLoaded)
              return rowOrZero(p, at[1], at[0]);
            for (int64_t m = 0; m < p.size("M"); ++m)
              if (indexOf(p, m) == at[0])
                return p["X"](at[1], m);
            return 0.0;
          },
          0,
          {},
          "D",
          {"D"},
          indices()};
}

/// A page table: block i of a sequence is page Pages[s, i], of 16 rows; what
/// lies behind its pages is zero.
Feature paged() {
  return {
      "pages by a table of two dimensions",
      [] {
        return kernel("paged", [] {
          Size S = size("S"), P = size("P"), T = size("T"), N = size("N");
          Tensor X = input("X", bf16, {T, 16, N});
          Tensor pages = input("Pages", s32, {S, P}, align(4));
          Tensor D = output("D", bf16, {S, P, 16, N});
          TileLoop tiles = persistent({S, P}, {1, 4});
          role("all", warps(4), [&] {
            for (auto [s, p] : tiles)
              for (Index r : range(16))
                for (Index i : range(4))
                  store(D.at({s, p * 4 + i, r, 0}),
                        load(X.at({load_index(pages.at({s, p * 4 + i})), r, 0}),
                             {1, 64}));
          });
        });
      },
      {{{"S", 2}, {"P", 5}, {"T", 7}, {"N", 40}}},
      [](const Problem &p, Coordinate at) {
        const int64_t page = (at[0] * 5 + at[1] * 3) % p.size("T");
        return p["X"](page, at[2], at[3]);
      },
      0,
      {},
      "D",
      {},
      {{"Pages", [](const Problem &p, Coordinate at) {
          return double((at[0] * 5 + at[1] * 3) % p.size("T"));
        }}}};
}

/// A · Bᵀ where the rows of A are chosen.
Feature multiplied() {
  return {"a product of chosen rows",
          [] {
            return kernel("multiplied", [] {
              Size M = size("M"), T = size("T"), N = size("N"), K = size("K");
              Tensor A = input("X", bf16, {T, K});
              Tensor B = input("B", bf16, {N, K});
              Tensor rows = input("Rows", s32, {M}, align(4));
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {128, 64});
              Pipeline ring =
                  pipeline(3, smem(bf16, {128, 64}), smem(bf16, {64, 64}));
              role("load", warps(4), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({0, k}).rows(rows.at({m * 128})), s[0]);
                    copy(B.tile({n, k}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(1), [&] {
                for (auto [m, n] : tiles) {
                  Fragment sum = zeros(f32, {128, 64});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    sum = mma(s[0], s[1].T(), sum);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), sum);
                }
              });
            });
          },
          {{{"M", 130}, {"T", 20}, {"N", 40}, {"K", 72}},
           {{"M", 1000}, {"T", 500}, {"N", 136}, {"K", 1000}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < p.size("K"); ++k)
              sum += rowOrZero(p, at[0], k) * p["B"](at[1], k);
            return sum;
          },
          1e-3,
          {},
          "D",
          {},
          indices()};
}

const bool registered = registerFeatures(
    {loaded(f32, {16, 64}, 4, 16), loaded(bf16, {32, 64}, 2, 16),
     loaded(s8, {8, 128}, 4, 16), loaded(f32, {4, 32}, 1, 4),
     loaded(bf16, {16, 64}, 4, 2), copied(bf16, {32, 64}, 16),
     copied(f32, {16, 32}, 8), copied(bf16, {16, 64}, 2),
     copied(s8, {16, 128}, 16), stored(), turned(true), turned(false), paged(),
     multiplied()});

} // namespace
} // namespace ashlar::test
