// Fragments as A of an mma: what an mma gave, converted; what a load gave,
// changed; and in loops where several products are in flight. Those of 8 bits,
// and of f32 for tf32, lie otherwise than a sum does.

#include "test/kernels/Feature.h"
#include "tool/Elements.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::test {
namespace {

/// How a fragment that becomes A is typed in registers.
ElementType held(ElementType a) { return a == tf32 ? f32 : a; }
ElementType sumOf(ElementType a) { return a == s8 ? s32 : f32; }

/// Only B of 16 bits may lie with its columns next to one another.
bool takesRows(ElementType b) { return size_bytes(b) == 2; }
SharedTile turned(const SharedTile &tile, ElementType b) {
  return takesRows(b) ? tile : tile.T();
}

struct Tiles {
  int64_t bm, bn, bk, warpgroups;
};

/// D = (2 A + 1) · Bᵀ: A goes through registers.
Feature scaled(ElementType type, int64_t bn, int64_t bk) {
  constexpr int64_t bm = 128;
  return {
      "a product of what a load gave, changed, of " + std::string(name(type)) +
          " " + std::to_string(bn) + "x" + std::to_string(bk),
      [=] {
        return kernel("changed", [&] {
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A = input("A", type, {M, K});
          Tensor B = input("B", type, {N, K});
          Tensor D = output("D", f32, {M, N});
          TileLoop tiles = persistent({M, N}, {bm, bn});
          Pipeline ring =
              pipeline(3, smem(type, {bm, bk}), smem(type, {bn, bk}));
          role("load", warps(1), registers(40), [&] {
            for (auto [m, n] : tiles)
              for (Index k : range(ceil_div(K, bk))) {
                Stage s = ring.acquire();
                copy(A.tile({m, k}), s[0]);
                copy(B.tile({n, k}), s[1]);
                ring.commit(s);
              }
          });
          role("math", warpgroups(2), registers(232), [&] {
            for (auto [m, n] : tiles) {
              Fragment acc = zeros(f32, {bm, bn});
              for (Index k : range(ceil_div(K, bk))) {
                Stage s = ring.wait();
                Fragment a = load(s[0]) * 2 + 1;
                acc = mma(a, s[1].T(), acc);
                ring.release(s);
              }
              store(D.tile({m, n}), acc);
            }
          });
        });
      },
      {{{"M", 1}, {"N", 1}, {"K", 1}}, {{"M", 140}, {"N", 300}, {"K", 170}}},
      [=](const Problem &p, Coordinate at) {
        const HostTensor &a = p["A"], &b = p["B"];
        double sum = 0;
        for (int64_t k = 0; k < a.shape()[1]; ++k)
          sum += harness::rounded(type, 2 * a(at[0], k) + 1) * b(at[1], k);
        return sum;
      },
      1e-5};
}

/// D = a(A) · Bᵀ, where A of one type is changed in registers into another:
/// dequantised and scaled, or only taken. It may be stored by columns.
Feature changed(ElementType from, ElementType a, ElementType b, Tiles tile,
                bool byColumns = false) {
  const bool same = held(from) == held(a);
  auto change = [=](double value) {
    return same ? value : harness::rounded(a, value * 0.5 + 1);
  };
  return {
      std::string(name(from)) + " of memory as " + std::string(name(a)) +
          " times " + std::string(name(b)) + ", " +
          shapeText(tile.bm, tile.bn, tile.bk) +
          (byColumns ? ", by columns" : ""),
      [=] {
        return kernel("changed", [=] {
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A =
              byColumns ? input("A", from, {K, M}) : input("A", from, {M, K});
          Tensor B = input("B", b, {N, K});
          Tensor D = output("D", sumOf(a), {M, N});
          TileLoop tiles = persistent({M, N}, {tile.bm, tile.bn});
          Pipeline ring =
              pipeline(3,
                       smem(from, byColumns ? Shape{tile.bk, tile.bm}
                                            : Shape{tile.bm, tile.bk}),
                       smem(b, {tile.bn, tile.bk}));
          roleOf("load", warps(1), 40, [&] {
            for (auto [m, n] : tiles)
              for (Index k : range(ceil_div(K, tile.bk))) {
                Stage s = ring.acquire();
                copy(byColumns ? A.tile({k, m}) : A.tile({m, k}), s[0]);
                copy(B.tile({n, k}), s[1]);
                ring.commit(s);
              }
          });
          roleOf("math", warpgroups(tile.warpgroups), 232, [&] {
            for (auto [m, n] : tiles) {
              Fragment acc = zeros(sumOf(a), {tile.bm, tile.bn});
              for (Index k : range(ceil_div(K, tile.bk))) {
                Stage s = ring.wait();
                Fragment x = load(byColumns ? s[0].T() : s[0]);
                if (!same)
                  x = convert(convert(x, f32) * 0.5 + 1, held(a));
                acc = mma(x, s[1].T(), acc);
                ring.release(s);
              }
              store(D.tile({m, n}), acc);
            }
          });
        });
      },
      {{{"M", 1}, {"N", 16}, {"K", 16}}, {{"M", 140}, {"N", 208}, {"K", 176}}},
      [=](const Problem &p, Coordinate at) {
        const HostTensor &a = p["A"], &b = p["B"];
        double sum = 0;
        for (int64_t k = 0; k < b.shape()[1]; ++k)
          sum += change(byColumns ? a(k, at[0]) : a(at[0], k)) * b(at[1], k);
        return sum;
      },
      a == s8 ? 0 : 1e-3};
}

/// D = 2 (A · Bᵀ) · C, with what is between in registers; C lies transposed but
/// for 16 bits.
Feature backToBack(ElementType outer, ElementType type, int64_t middle,
                   Tiles tile, bool hasEvenRowsFirst = false) {
  const int64_t depth = tile.bk, columns = tile.bn, bm = tile.bm;
  return {"two products in a row, the second of " + std::string(name(type)) +
              ", " + std::to_string(bm) + " rows, " + std::to_string(depth) +
              " to " + std::to_string(middle) + " to " +
              std::to_string(columns) +
              (hasEvenRowsFirst ? ", even rows first" : ""),
          [=] {
            auto factor = [=](const Stage &s) {
              return hasEvenRowsFirst ? s[1].even_rows_first() : s[1];
            };
            return kernel("back_to_back", [=] {
              Size M = size("M");
              Tensor A = input("A", outer, {M, depth});
              Tensor B = input("B", outer, {middle, depth});
              Shape ofC = takesRows(type) ? Shape{middle, columns}
                                          : Shape{columns, middle};
              Tensor C = input("C", type, {ofC[0], ofC[1]});
              Tensor D = output("D", sumOf(type), {M, columns});
              TileLoop tiles = persistent({M}, {bm});
              Pipeline ring =
                  pipeline(2, smem(outer, {bm, depth}),
                           smem(outer, {middle, depth}), smem(type, ofC));
              roleOf("load", warps(1), 40, [&] {
                for (auto [m] : tiles) {
                  Stage s = ring.acquire();
                  copy(A.at({m * bm, 0}), s[0]);
                  copy(B.at({0, 0}), factor(s));
                  copy(C.at({0, 0}), s[2]);
                  ring.commit(s);
                }
              });
              roleOf("math", warpgroups(tile.warpgroups), 232, [&] {
                for (auto [m] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = mma(s[0], factor(s).T());
                  x = type == s8 ? convert(x >> 8, s8) : convert(x, held(type));
                  // Twice, of one fragment that lies as wgmma takes it.
                  Fragment y = mma(x, turned(s[2], type));
                  y = mma(x, turned(s[2], type), y);
                  ring.release(s);
                  store(D.at({m * bm, 0}), y);
                }
              });
            });
          },
          {{{"M", 1}}, {{"M", 200}}},
          [=, row = std::vector<double>(middle)](const Problem &p,
                                                 Coordinate at) mutable {
            const HostTensor &a = p["A"], &b = p["B"], &c = p["C"];
            double sum = 0;
            for (int64_t i = 0; i < middle; ++i) {
              double &x = row[i];
              if (at[1] == 0) {
                x = 0;
                for (int64_t k = 0; k < depth; ++k)
                  x += a(at[0], k) * b(i, k);
                x = type == s8 ? double(int8_t(int64_t(std::floor(x / 256))))
                               : harness::rounded(type, x);
              }
              sum += 2 * x * (takesRows(type) ? c(i, at[1]) : c(at[1], i));
            }
            return sum;
          },
          type == s8     ? 0
          : type == tf32 ? 1e-3
          : type == bf16 ? 5e-3
                         : 2e-2};
}

/// A row of A · Bᵀ, A stored by columns; with `half` the same of C is added,
/// which is stored by rows.
std::vector<double> productsOfRow(const Problem &p, int64_t m, bool half) {
  const HostTensor &a = p["A"], &b = p["B"], &c = p["C"];
  std::vector<double> products(b.shape()[0], 0.0);
  for (size_t n = 0; n < products.size(); ++n)
    for (int64_t k = 0; k < b.shape()[1]; ++k)
      products[n] += (a(k, m) + half * c(m, k)) * b(n, k);
  return products;
}
double largestOf(const std::vector<double> &row) {
  double most = 0;
  for (double each : row)
    most = std::max(most, std::abs(each));
  return most;
}

/// D = A · Bᵀ over the largest of its row, A stored by columns; with `half` the
/// first product of a row reads A from registers and the second one from
/// memory, where its rows lie otherwise.
Feature normalized(ElementType d, bool isStaged, bool half) {
  constexpr int64_t bm = 128, bn = 64, bk = 64;
  return {
      "a product of columns over the largest of its row, as " +
          std::string(name(d)) + (isStaged ? ", staged" : "") +
          (half ? ", half of it from registers" : ""),
      [=] {
        return kernel("normalized", [=] {
          Size M = size("M"), K = size("K");
          Tensor A = input("A", e4m3, {K, M}), B = input("B", e4m3, {bn, K});
          Tensor C = input("C", e4m3, {M, K});
          Tensor D = output("D", d, {M, bn}), Most = output("Most", f32, {M});
          TileLoop tiles = persistent({M}, {bm});
          Pipeline ring = pipeline(2, smem(e4m3, {bk, bm}),
                                   smem(e4m3, {bn, bk}), smem(e4m3, {bm, bk}));
          SharedTile staging = shared(d, {bm, bn});
          roleOf("load", warps(1), 40, [&] {
            for (auto [m] : tiles)
              for (Index k : range(ceil_div(K, bk))) {
                Stage s = ring.acquire();
                copy(A.tile({k, m}), s[0]);
                copy(B.at({0, k * bk}), s[1]);
                copy(C.tile({m, k}), s[2]);
                ring.commit(s);
              }
          });
          roleOf("math", warpgroups(2), 232, [&] {
            for (auto [m] : tiles) {
              Fragment acc = zeros(f32, {bm, bn});
              for (Index k : range(ceil_div(K, bk))) {
                Stage s = ring.wait();
                acc = mma(load(s[0].T()), s[1].T(), acc);
                if (half)
                  acc = mma(s[2], s[1].T(), acc);
                ring.release(s);
              }
              Fragment most = row_max(abs(acc));
              Fragment scaled = acc / along_rows(max(most, 1e-3f));
              store(Most.tile({m}), most);
              if (isStaged) {
                store(staging, convert(scaled, d));
                copy(staging, D.at({m * bm, 0}));
              } else {
                store(D.at({m * bm, 0}), convert(scaled, d));
              }
            }
          });
        });
      },
      {{{"M", 16}, {"K", 16}}, {{"M", 208}, {"K", 176}}},
      [=, products = std::vector<double>()](const Problem &p,
                                            Coordinate at) mutable {
        if (at[1] == 0)
          products = productsOfRow(p, at[0], half);
        return products[at[1]] / std::max(largestOf(products), 1e-3);
      },
      d == f32 ? 1e-3 : 1e-2};
}

/// What that divides by, a vector along the rows.
Feature largestOfRows(bool half) {
  Feature largest = normalized(f32, false, half);
  largest.name += ", the largest";
  largest.output = "Most";
  largest.reference = [=](const Problem &p, Coordinate at) {
    return largestOf(productsOfRow(p, at[0], half));
  };
  return largest;
}

/// Attention; V lies with its keys next to one another but for 16 bits.
/// `ahead`: the next product is issued before this one is used, and the weights
/// are carried by the loop.
Feature attention(ElementType type, int64_t d, int64_t bn, int64_t count,
                  bool ahead) {
  const int64_t bm = 64 * count;
  return {"attention of " + std::string(name(type)) + " " + std::to_string(d) +
              " by blocks of " + std::to_string(bn) +
              (ahead ? ", a product ahead" : ""),
          [=] {
            return kernel("attention", [=] {
              Size M = size("M"), N = size("N");
              Tensor Q = input("Q", type, {M, d}), K = input("K", type, {N, d});
              Tensor V = takesRows(type) ? input("V", type, {N, d})
                                         : input("V", type, {d, N});
              Tensor D = output("D", f32, {M, d});
              TileLoop tiles = persistent({M}, {bm});
              Pipeline q = pipeline(1, smem(type, {bm, d}));
              Pipeline k = pipeline(2, smem(type, {bn, d}));
              Pipeline v = pipeline(
                  2, smem(type, takesRows(type) ? Shape{bn, d} : Shape{d, bn}));
              roleOf("load", warps(1), 40, [&] {
                for (auto [m] : tiles) {
                  Stage s = q.acquire();
                  copy(Q.at({m * bm, 0}), s[0]);
                  q.commit(s);
                  for (Index n : range(ceil_div(N, bn))) {
                    Stage s = k.acquire(), t = v.acquire();
                    copy(K.at({n * bn, 0}), s[0]);
                    k.commit(s);
                    if (takesRows(type))
                      copy(V.at({n * bn, 0}), t[0]);
                    else
                      copy(V.at({0, n * bn}), t[0]);
                    v.commit(t);
                  }
                }
              });
              roleOf("math", warpgroups(count), 232, [&] {
                for (auto [m] : tiles) {
                  Stage query = q.wait();
                  Fragment o = zeros(f32, {bm, d}), sum = zeros(f32, {bm});
                  Fragment top = full(f32, {bm}, -1e30f);
                  Fragment p = zeros(held(type), {bm, bn});
                  auto scores = [&] {
                    Stage s = k.wait();
                    Fragment product = mma(query[0], s[0].T());
                    k.release(s);
                    return product;
                  };
                  auto weights = [&](Fragment s, Index n) {
                    s = select(columns({bm, bn}) < N - n * bn, s, -1e30f);
                    Fragment higher = max(top, row_max(s));
                    Fragment shrink = fast::exp2(top - higher);
                    Fragment e = fast::exp2(s - along_rows(higher));
                    p = held(type) == f32 ? e : convert(e, type);
                    sum = sum * shrink + row_sum(e);
                    top = higher;
                    return shrink;
                  };
                  auto add = [&] {
                    Stage s = v.wait();
                    o = mma(p, turned(s[0], type), o);
                    v.release(s);
                  };
                  Index blocks = ceil_div(N, bn);
                  if (ahead) {
                    weights(scores(), 0);
                    for (Index n : range(1, blocks)) {
                      Fragment s = scores();
                      add();
                      o = o * along_rows(weights(s, n));
                    }
                    add();
                  } else {
                    for (Index n : range(blocks)) {
                      Fragment shrink = weights(scores(), n);
                      o = o * along_rows(shrink);
                      add();
                    }
                  }
                  q.release(query);
                  store(D.at({m * bm, 0}), o / along_rows(sum));
                }
              });
            });
          },
          {{{"M", 1}, {"N", takesRows(type) ? 1 : 16}},
           {{"M", 130}, {"N", takesRows(type) ? 270 : 272}}},
          [=, weights = std::vector<double>()](const Problem &p,
                                               Coordinate at) mutable {
            const HostTensor &q = p["Q"], &k = p["K"], &v = p["V"];
            if (at[1] == 0) {
              weights.assign(p.size("N"), 0);
              for (int64_t n = 0; n < p.size("N"); ++n)
                for (int64_t i = 0; i < d; ++i)
                  weights[n] += q(at[0], i) * k(n, i);
              const double top = *std::ranges::max_element(weights);
              for (double &weight : weights)
                weight = std::exp2(weight - top);
            }
            double sum = 0, result = 0;
            for (int64_t n = 0; n < p.size("N"); ++n) {
              sum += weights[n];
              result +=
                  weights[n] * (takesRows(type) ? v(n, at[1]) : v(at[1], n));
            }
            return result / sum;
          },
          type == tf32   ? 2e-3
          : type == bf16 ? 5e-3
                         : 5e-2};
}

const bool registered =
    registerFeatures({scaled(bf16, 128, 64),
                      scaled(f16, 64, 32),
                      scaled(bf16, 256, 64),
                      scaled(bf16, 96, 16),
                      changed(e4m3, e4m3, e4m3, {128, 64, 64, 2}),
                      changed(s8, e4m3, e4m3, {64, 128, 96, 1}),
                      changed(s8, e5m2, e4m3, {128, 64, 32, 1}),
                      changed(s8, s8, s8, {128, 64, 128, 2}),
                      changed(s8, s8, u8, {64, 48, 64, 1}),
                      changed(s8, f16, f16, {128, 64, 64, 2}),
                      changed(tf32, tf32, tf32, {128, 64, 32, 1}),
                      changed(bf16, tf32, tf32, {64, 96, 40, 1}),
                      changed(s8, tf32, tf32, {128, 64, 64, 2}),
                      changed(e4m3, e4m3, e4m3, {128, 64, 128, 2}, true),
                      changed(e5m2, e5m2, e4m3, {64, 128, 32, 1}, true),
                      changed(s8, s8, s8, {256, 48, 96, 2}, true),
                      changed(s8, e4m3, e5m2, {128, 32, 64, 1}, true),
                      changed(tf32, tf32, tf32, {128, 64, 32, 2}, true),
                      changed(bf16, f16, f16, {64, 96, 48, 1}, true),
                      normalized(f32, false, false),
                      normalized(bf16, true, false),
                      normalized(bf16, false, true),
                      normalized(f32, true, true),
                      largestOfRows(false),
                      largestOfRows(true),
                      backToBack(bf16, e4m3, 64, {64, 64, 64, 1}),
                      backToBack(bf16, e5m2, 96, {256, 64, 64, 2}),
                      backToBack(s8, s8, 128, {128, 64, 64, 1}),
                      backToBack(e4m3, e4m3, 32, {128, 128, 64, 2}),
                      backToBack(bf16, e4m3, 64, {64, 64, 64, 1}, true),
                      backToBack(bf16, e5m2, 96, {256, 64, 64, 2}, true),
                      backToBack(s8, s8, 128, {128, 64, 64, 1}, true),
                      backToBack(e4m3, e4m3, 32, {128, 128, 64, 2}, true),
                      backToBack(bf16, bf16, 96, {128, 128, 128, 1}, true),
                      backToBack(tf32, tf32, 64, {64, 64, 32, 1}),
                      backToBack(bf16, tf32, 24, {128, 64, 64, 2}),
                      backToBack(bf16, bf16, 64, {128, 64, 64, 1}),
                      backToBack(bf16, bf16, 128, {128, 64, 64, 1}),
                      backToBack(bf16, bf16, 96, {128, 128, 128, 1}),
                      attention(bf16, 64, 64, 2, false),
                      attention(bf16, 128, 128, 2, false),
                      attention(bf16, 64, 128, 2, true),
                      attention(bf16, 128, 64, 2, true),
                      attention(e4m3, 64, 64, 2, false),
                      attention(e4m3, 128, 128, 2, true),
                      attention(e5m2, 64, 96, 1, false),
                      attention(tf32, 32, 32, 1, false),
                      attention(tf32, 64, 64, 2, true)});

} // namespace
} // namespace ashlar::test
