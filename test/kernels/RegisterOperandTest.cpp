// Fragments as A of an mma: what an mma gave, converted; what a load gave,
// changed; and in loops where several products are in flight.

#include "test/kernels/Feature.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::test {
namespace {

constexpr int64_t bm = 128;

double rounded(double value, ElementType type) {
  HostTensor cell("cell", type, {1}, {1});
  cell.write(0, value);
  return cell.read(0);
}

/// D = (2 A + 1) · Bᵀ: A goes through registers.
Feature changed(ElementType type, int64_t bn, int64_t bk) {
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
        double sum = 0;
        for (int64_t k = 0; k < p.size("K"); ++k)
          sum += rounded(2 * p["A"](at[0], k) + 1, type) * p["B"](at[1], k);
        return sum;
      },
      1e-5};
}

/// D = (A · Bᵀ) · C, with what is between in registers.
Feature backToBack(int64_t depth, int64_t middle, int64_t columns) {
  return {"two products in a row, " + std::to_string(depth) + " to " +
              std::to_string(middle) + " to " + std::to_string(columns),
          [=] {
            return kernel("back_to_back", [&] {
              Size M = size("M");
              Tensor A = input("A", bf16, {M, depth});
              Tensor B = input("B", bf16, {middle, depth});
              Tensor C = input("C", bf16, {middle, columns});
              Tensor D = output("D", f32, {M, columns});
              TileLoop tiles = persistent({M}, {bm});
              Pipeline ring = pipeline(2, smem(bf16, {bm, depth}),
                                       smem(bf16, {middle, depth}),
                                       smem(bf16, {middle, columns}));
              role("load", warps(1), [&] {
                for (auto [m] : tiles) {
                  Stage s = ring.acquire();
                  copy(A.at({m * bm, 0}), s[0]);
                  copy(B.at({0, 0}), s[1]);
                  copy(C.at({0, 0}), s[2]);
                  ring.commit(s);
                }
              });
              role("math", warpgroups(1), [&] {
                for (auto [m] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = convert(mma(s[0], s[1].T()), bf16);
                  Fragment y = mma(x, s[2]);
                  ring.release(s);
                  store(D.at({m * bm, 0}), y);
                }
              });
            });
          },
          {{{"M", 1}}, {{"M", 200}}},
          [=](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t i = 0; i < middle; ++i) {
              double x = 0;
              for (int64_t k = 0; k < depth; ++k)
                x += p["A"](at[0], k) * p["B"](i, k);
              sum += rounded(x, bf16) * p["C"](i, at[1]);
            }
            return sum;
          },
          5e-3};
}

/// Attention; `ahead`: the next product is issued before this one is used, and
/// the weights are carried by the loop.
Feature attention(int64_t d, int64_t bn, bool ahead) {
  return {"attention of " + std::to_string(d) + " by blocks of " +
              std::to_string(bn) + (ahead ? ", a product ahead" : ""),
          [=] {
            return kernel("attention", [&] {
              Size M = size("M"), N = size("N");
              Tensor Q = input("Q", bf16, {M, d});
              Tensor K = input("K", bf16, {N, d}), V = input("V", bf16, {N, d});
              Tensor D = output("D", f32, {M, d});
              TileLoop tiles = persistent({M}, {bm});
              Pipeline q = pipeline(1, smem(bf16, {bm, d}));
              Pipeline k = pipeline(2, smem(bf16, {bn, d}));
              Pipeline v = pipeline(2, smem(bf16, {bn, d}));
              role("load", warps(1), registers(40), [&] {
                for (auto [m] : tiles) {
                  Stage s = q.acquire();
                  copy(Q.at({m * bm, 0}), s[0]);
                  q.commit(s);
                  for (Index n : range(ceil_div(N, bn))) {
                    Stage s = k.acquire(), t = v.acquire();
                    copy(K.at({n * bn, 0}), s[0]);
                    k.commit(s);
                    copy(V.at({n * bn, 0}), t[0]);
                    v.commit(t);
                  }
                }
              });
              role("math", warpgroups(2), registers(232), [&] {
                for (auto [m] : tiles) {
                  Stage query = q.wait();
                  Fragment o = zeros(f32, {bm, d}), sum = zeros(f32, {bm});
                  Fragment top = full(f32, {bm}, -1e30f);
                  Fragment p = zeros(bf16, {bm, bn});
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
                    p = convert(e, bf16);
                    sum = sum * shrink + row_sum(e);
                    top = higher;
                    return shrink;
                  };
                  auto add = [&] {
                    Stage s = v.wait();
                    o = mma(p, s[0], o);
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
          {{{"M", 1}, {"N", 1}}, {{"M", 130}, {"N", 270}}},
          [=](const Problem &p, Coordinate at) {
            const int64_t keys = p.size("N");
            std::vector<double> scores(keys);
            for (int64_t n = 0; n < keys; ++n)
              for (int64_t i = 0; i < d; ++i)
                scores[n] += p["Q"](at[0], i) * p["K"](n, i);
            const double top = *std::ranges::max_element(scores);
            double sum = 0, result = 0;
            for (int64_t n = 0; n < keys; ++n) {
              const double weight = std::exp2(scores[n] - top);
              sum += weight;
              result += weight * p["V"](n, at[1]);
            }
            return result / sum;
          },
          5e-3};
}

const bool registered = registerFeatures(
    {changed(bf16, 128, 64), changed(f16, 64, 32), changed(bf16, 256, 64),
     changed(bf16, 96, 16), backToBack(64, 64, 64), backToBack(64, 128, 64),
     backToBack(128, 96, 128), attention(64, 64, false),
     attention(128, 128, false), attention(64, 128, true),
     attention(128, 64, true)});

} // namespace
} // namespace ashlar::test
