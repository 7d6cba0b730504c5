// Loops that end before their bounds say so: of one role, and of two that a
// stage tells.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// Sums of X[m, 0], X[m, 1], ... up to the first that is larger than 1, itself
/// among them.
Feature untilLarge(bool nested, bool inPingPong = false) {
  return {std::string("a loop that a value ends") +
              (nested ? ", within another" : "") +
              (inPingPong ? ", in turn" : ""),
          [=] {
            return kernel("until_large", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor D = output("D", f32, {M}, align(4));
              Tensor count = output("Count", s32, {M}, align(4));
              TileLoop tiles = persistent({M}, {1});
              auto sums = [&] {
                for (auto [m] : tiles) {
                  Scalar sum = convert(Index(0), f32);
                  Index steps = 0;
                  for (Index i : range(nested ? Index(1) : Index(N))) {
                    for (Index n : range(nested ? Index(N) : Index(1))) {
                      Scalar x = load_scalar(X.at({m, i + n}));
                      sum = sum + x;
                      steps = steps + 1;
                      if (nested)
                        last_if(x > 1);
                    }
                    if (!nested)
                      last_if(load_scalar(X.at({m, i})) > 1);
                  }
                  store(D.at({m}), full(f32, {1}, sum));
                  store(count.at({m}), full(s32, {1}, steps));
                }
              };
              if (inPingPong)
                role("all", ping_pong(2), sums);
              else
                role("all", warps(2), sums);
            });
          },
          {{{"M", 20}, {"N", 12}}, {{"M", 3}, {"N", 1}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t n = 0; n < p.size("N"); ++n) {
              sum += p["X"](at[0], n);
              if (p["X"](at[0], n) > 1)
                break;
            }
            return sum;
          },
          1e-5};
}

/// Rows of a queue: one role takes numbers from a counter and tells the other.
Feature queued(int64_t stages) {
  return {
      "numbers of a counter passed on in " + std::to_string(stages) + " stages",
      [=] {
        return kernel("queued", [&] {
          Size M = size("M"), N = size("N"), P = size("CTAs");
          Tensor X = input("X", f32, {M, N});
          Tensor next = inout("Next", s32, {1}, align(4));
          Tensor D = output("D", f32, {M, N});
          TileLoop ctas = grid({P}, {1});
          Pipeline ring = pipeline(stages, smem(f32, {1, 64}), smem(s32, {4}));
          role("load", warps(1), [&] {
            for (auto [p] : ctas)
              for (Index turn : range(M + 1)) {
                Index m = atomic_add(next.at({0}), 1);
                Stage s = ring.acquire();
                copy(X.at({m, 0}), s[0]);
                store(s[1], full(s32, {4}, m));
                ring.commit(s);
                last_if(m >= M);
              }
          });
          role("store", warps(4), [&] {
            for (auto [p] : ctas)
              for (Index turn : range(M + 1)) {
                Stage s = ring.wait();
                Index m = load_index(s[1], {0});
                store(D.at({m, 0}), 2 * load(s[0]));
                ring.release(s);
                last_if(m >= M);
              }
          });
        });
      },
      {{{"M", 9}, {"N", 64}, {"CTAs", 3}}, {{"M", 1}, {"N", 40}, {"CTAs", 2}}},
      [](const Problem &p, Coordinate at) { return 2 * p["X"](at[0], at[1]); },
      0,
      {},
      "D",
      {"Next"}};
}

/// A loop of products that a value ends.
Feature multiplied() {
  return {"a loop of products that a value ends",
          [] {
            return kernel("multiplied", [] {
              Size M = size("M"), N = size("N"), K = size("K");
              Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
              Tensor blocks = input("Blocks", s32, {1}, align(4));
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {64, 64});
              Pipeline ring =
                  pipeline(3, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
              role("load", warps(1), [&] {
                Index most = load_index(blocks.at({0}));
                for (auto [m, n] : tiles)
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, k}), s[0]);
                    copy(B.tile({n, k}), s[1]);
                    ring.commit(s);
                    last_if(k + 1 >= most);
                  }
              });
              role("math", warpgroups(1), [&] {
                Index most = load_index(blocks.at({0}));
                for (auto [m, n] : tiles) {
                  Fragment sum = zeros(f32, {64, 64});
                  for (Index k : range(ceil_div(K, 64))) {
                    Stage s = ring.wait();
                    sum = mma(s[0], s[1].T(), sum);
                    ring.release(s);
                    last_if(k + 1 >= most);
                  }
                  store(D.tile({m, n}), sum);
                }
              });
            });
          },
          {{{"M", 70}, {"N", 64}, {"K", 300}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < 2 * 64; ++k)
              sum += p["A"](at[0], k) * p["B"](at[1], k);
            return sum;
          },
          1e-3,
          {},
          "D",
          {},
          {{"Blocks", [](const Problem &, Coordinate) { return 2.0; }}}};
}

const bool registered = registerFeatures({untilLarge(false), untilLarge(true),
                                          untilLarge(false, true), queued(1),
                                          queued(3), multiplied()});

} // namespace
} // namespace ashlar::test
