// Loops in which products are in flight: whatever their trip counts, what else
// is done with the sums, and however many stages of a ring a role holds.

#include "test/kernels/Feature.h"

#include <cmath>

namespace ashlar::test {
namespace {

constexpr int block = 64; ///< of M, N and K

/// The blocks of K that a tile works on.
struct Blocks {
  Index first, end, step = 1;
};
using BlocksOf = std::function<Blocks(Index m, Size K)>;
/// What the math role does with one block of K.
using Body = std::function<void(Pipeline &ring, Fragment &acc, Index k)>;

void product(Pipeline &ring, Fragment &acc, Index) {
  Stage s = ring.wait();
  acc = mma(s[0], s[1].T(), acc);
  ring.release(s);
}

Fragment nothing() { return zeros(f32, {block, block}); }

/// A GEMM over blocks of K, `each` of which the math role takes at once.
Kernel overBlocks(int stages, const BlocksOf &blocksOf, const Body &body,
                  int each = 1) {
  return kernel("over_blocks", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", f32, {M, N});
    TileLoop tiles = persistent({M, N}, {block, block});
    Pipeline ring = pipeline(stages, smem(bf16, {block, block}),
                             smem(bf16, {block, block}));
    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles) {
        Blocks blocks = blocksOf(m, K);
        for (Index k :
             range(each * blocks.first, each * blocks.end, blocks.step)) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
      }
    });
    role("math", warpgroups(1), registers(200), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = nothing();
        Blocks blocks = blocksOf(m, K);
        for (Index k : range(blocks.first, blocks.end, blocks.step))
          body(ring, acc, k);
        store(D.tile({m, n}), acc);
      }
    });
  });
}

Blocks allBlocks(Index, Size K) { return {0, ceil_div(K, block)}; }

std::vector<Sizes> problems() {
  return {{{"M", 1}, {"N", 1}, {"K", 1}},
          {{"M", 130}, {"N", 70}, {"K", 330}},
          {{"M", 64}, {"N", 64}, {"K", 640}}};
}

/// Those, and one without a block of K.
std::vector<Sizes> problemsAndNone() {
  std::vector<Sizes> all = problems();
  all.push_back({{"M", 70}, {"N", 8}, {"K", 0}});
  return all;
}

/// The sum over one block of K of an element of A · Bᵀ.
double ofBlock(const Problem &p, Coordinate at, int64_t number) {
  const HostTensor &a = p["A"], &b = p["B"];
  double sum = 0;
  for (int64_t k = number * block; k < (number + 1) * block; ++k)
    if (k >= 0 && k < a.shape()[1])
      sum += a(at[0], k) * b(at[1], k);
  return sum;
}

int64_t blockCount(const Problem &p) {
  return (p.size("K") + block - 1) / block;
}

/// The kernel whose sum becomes `step(sum, product)` with each block.
Feature steps(const std::string &name, int stages, const Body &body,
              std::function<double(double, double, int64_t)> step) {
  return {name, [=] { return overBlocks(stages, allBlocks, body); },
          problemsAndNone(),
          [step](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < blockCount(p); ++k)
              sum = step(sum, ofBlock(p, at, k), k);
            return sum;
          },
          2e-5};
}

Feature trips(const std::string &name, const BlocksOf &blocksOf,
              std::function<std::pair<int64_t, int64_t>(int64_t, int64_t)> of) {
  return {"blocks of K from " + name,
          [=] { return overBlocks(4, blocksOf, product); }, problems(),
          [of](const Problem &p, Coordinate at) {
            auto [first, end] = of(at[0] / block, p.size("K"));
            double sum = 0;
            for (int64_t k = first; k < end; ++k)
              sum += ofBlock(p, at, k);
            return sum;
          },
          2e-5};
}

/// Every n-th block of K, where that is known only when the kernel runs, and
/// none where it would not end.
Feature inSteps() {
  auto step = [](auto count) { return count - 3; };
  return {"blocks of K in steps that may be 0 or less",
          [=] {
            return overBlocks(
                4,
                [=](Index, Size K) {
                  Index count = ceil_div(K, block);
                  return Blocks{0, count, step(count)};
                },
                product);
          },
          {{{"M", 64}, {"N", 64}, {"K", 64}},
           {{"M", 64}, {"N", 64}, {"K", 192}},
           {{"M", 64}, {"N", 64}, {"K", 256}},
           {{"M", 64}, {"N", 64}, {"K", 320}}},
          [=](const Problem &p, Coordinate at) {
            const int64_t count = blockCount(p);
            double sum = 0;
            for (int64_t k = 0; k < count && step(count) > 0; k += step(count))
              sum += ofBlock(p, at, k);
            return sum;
          },
          2e-5};
}

double add(double sum, double product, int64_t) { return sum + product; }

/// Two or more blocks at once, taken and given back in some order.
Feature several(const std::string &name, int stages, int each,
                const Body &body) {
  return {name,
          [=] {
            return overBlocks(
                stages,
                [each](Index, Size K) {
                  return Blocks{0, ceil_div(K, block * each)};
                },
                body, each);
          },
          problemsAndNone(), gemmReference, 2e-5};
}

/// One role that fills its ring ahead of what it multiplies.
Feature ahead(int stages) {
  auto build = [stages] {
    return kernel("ahead", [stages] {
      Size M = size("M"), N = size("N"), K = size("K");
      Tensor A = input("A", bf16, {M, K});
      Tensor B = input("B", bf16, {N, K});
      Tensor D = output("D", f32, {M, N});
      TileLoop tiles = grid({M, N}, {block, block});
      Pipeline ring = pipeline(stages, smem(bf16, {block, block}),
                               smem(bf16, {block, block}));
      role("all", warpgroups(1), [&] {
        for (auto [m, n] : tiles) {
          auto fill = [&](Index k) {
            Stage s = ring.acquire();
            copy(A.tile({m, k}), s[0]);
            copy(B.tile({n, k}), s[1]);
            ring.commit(s);
          };
          Fragment acc = nothing();
          for (Index k : range(stages - 1))
            fill(k);
          for (Index k : range(ceil_div(K, block))) {
            fill(k + (stages - 1));
            Stage s = ring.wait();
            acc = mma(s[0], s[1].T(), acc);
            ring.release(s);
          }
          for (Index k : range(stages - 1)) {
            Stage s = ring.wait();
            acc = mma(s[0], s[1].T(), acc);
            ring.release(s);
          }
          store(D.tile({m, n}), acc);
        }
      });
    });
  };
  return {"one role fills " + std::to_string(stages) + " stages ahead", build,
          problems(), gemmReference, 2e-5};
}

/// A product of a tile that is held, and behind it a sum of others, in a loop
/// that may not run: the sum begins while the product is in flight.
Feature behindProduct(double start) {
  auto build = [start] {
    return kernel("behind_product", [start] {
      Size M = size("M"), N = size("N"), K = size("K");
      Tensor A = input("A", bf16, {M, K});
      Tensor B = input("B", bf16, {N, K});
      Tensor D = output("D", f32, {M, N});
      TileLoop tiles = persistent({M, N}, {block, block});
      auto tile = smem(bf16, {block, block});
      Pipeline held = pipeline(2, tile, tile), ring = pipeline(3, tile, tile);
      role("load", warps(1), registers(40), [&] {
        for (auto [m, n] : tiles) {
          auto fill = [&](Pipeline &pipeline, Index k) {
            Stage s = pipeline.acquire();
            copy(A.tile({m, k}), s[0]);
            copy(B.tile({n, k}), s[1]);
            pipeline.commit(s);
          };
          fill(held, 0);
          for (Index k : range(1, ceil_div(K, block)))
            fill(ring, k);
        }
      });
      role("math", warpgroups(1), registers(200), [&] {
        for (auto [m, n] : tiles) {
          Stage q = held.wait();
          Fragment first = mma(q[0], q[1].T(), nothing());
          Fragment rest = full(f32, {block, block}, start);
          for (Index k : range(1, ceil_div(K, block))) {
            Stage s = ring.wait();
            rest = mma(s[0], s[1].T(), rest);
            ring.release(s);
          }
          held.release(q);
          store(D.tile({m, n}), first + (rest - start));
        }
      });
    });
  };
  return {"a loop behind a product, from " + std::to_string(int(start)), build,
          problems(), gemmReference, 2e-5};
}

/// As in attention: the next product of A · Bᵀ is issued before what becomes of
/// the last one is multiplied again.
Feature twoSums() {
  auto build = [] {
    return kernel("two_sums", [] {
      Size M = size("M"), N = size("N"), K = size("K");
      Tensor A = input("A", bf16, {M, K});
      Tensor B = input("B", bf16, {N, K});
      Tensor D = output("D", f32, {M, N});
      TileLoop tiles = persistent({M, N}, {block, block});
      Pipeline ringA = pipeline(2, smem(bf16, {block, block}));
      Pipeline ringB = pipeline(2, smem(bf16, {block, block}));
      role("load", warps(1), registers(40), [&] {
        for (auto [m, n] : tiles)
          for (Index k : range(ceil_div(K, block))) {
            Stage a = ringA.acquire();
            copy(A.tile({m, k}), a[0]);
            ringA.commit(a);
            Stage b = ringB.acquire();
            copy(B.tile({n, k}), b[0]);
            ringB.commit(b);
          }
      });
      role("math", warpgroups(1), registers(200), [&] {
        for (auto [m, n] : tiles) {
          Fragment acc = nothing(), squares = nothing();
          for (Index k : range(ceil_div(K, block))) {
            Stage a = ringA.wait();
            Fragment own = mma(a[0], a[0].T(), nothing());
            Stage b = ringB.wait();
            acc = mma(a[0], b[0].T(), acc);
            ringA.release(a);
            squares = squares + own * 0.5f;
            acc = acc * 0.5f;
            ringB.release(b);
          }
          store(D.tile({m, n}), acc + squares * 0.0f);
        }
      });
    });
  };
  return {"two products of an iteration, each read where it is done", build,
          problems(),
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < blockCount(p); ++k)
              sum = (sum + ofBlock(p, at, k)) * 0.5;
            return sum;
          },
          2e-5};
}

/// Before each block of K one row of the sums so far is halved, in one warp and
/// not in the others. The factors are products that nothing is done in place
/// of.
Feature rescaled() {
  constexpr int64_t step = 7;
  return {"a sum of which rows are rescaled",
          [] {
            return overBlocks(
                3, allBlocks, [](Pipeline &ring, Fragment &acc, Index k) {
                  Fragment halves = select(columns({block}) == k * step,
                                           full(f32, {block}, 0.25), 0.5);
                  acc = rescale(acc, along_rows(rescale(halves, 2)));
                  product(ring, acc, k);
                });
          },
          problemsAndNone(),
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < blockCount(p); ++k)
              sum = (at[0] % block == k * step ? sum / 2 : sum) +
                    ofBlock(p, at, k);
            return sum;
          },
          2e-5};
}

[[maybe_unused]] const bool registered = registerFeatures({
    rescaled(),
    inSteps(),
    trips(
        "m", [](Index m, Size) { return Blocks{0, m + 1}; },
        [](int64_t m, int64_t) { return std::pair(int64_t(0), m + 1); }),
    trips(
        "9 ceil", [](Index, Size K) { return Blocks{0, 9 * ceil_div(K, 640)}; },
        [](int64_t, int64_t K) {
          return std::pair(int64_t(0), 9 * ((K + 639) / 640));
        }),
    trips(
        "half of ceil",
        [](Index, Size K) { return Blocks{0, ceil_div(K, block) / 2}; },
        [](int64_t, int64_t K) {
          return std::pair(int64_t(0), (K + block - 1) / block / 2);
        }),
    trips(
        "ceil less one",
        [](Index, Size K) { return Blocks{0, ceil_div(K, block) - 1}; },
        [](int64_t, int64_t K) {
          return std::pair(int64_t(0), (K + block - 1) / block - 1);
        }),
    trips(
        "whole blocks and one",
        [](Index, Size K) { return Blocks{0, K / block + 1}; },
        [](int64_t, int64_t K) {
          return std::pair(int64_t(0), K / block + 1);
        }),
    trips(
        "2m to 2m and 4",
        [](Index m, Size) { return Blocks{2 * m, 2 * m + 4}; },
        [](int64_t m, int64_t) { return std::pair(2 * m, 2 * m + 4); }),
    trips(
        "a constant", [](Index, Size) { return Blocks{0, 5}; },
        [](int64_t, int64_t) { return std::pair(int64_t(0), int64_t(5)); }),

    steps(
        "a sum that is set back in its loop", 4,
        [](Pipeline &ring, Fragment &acc, Index k) {
          product(ring, acc, k);
          when(k == 2, [&] { acc = nothing(); });
        },
        [](double sum, double product, int64_t k) {
          return k == 2 ? 0 : sum + product;
        }),
    steps(
        "an added sum that is set back in its loop", 4,
        [](Pipeline &ring, Fragment &acc, Index k) {
          Stage s = ring.wait();
          acc = acc + mma(s[0], s[1].T(), nothing());
          ring.release(s);
          when(k == 2, [&] { acc = nothing(); });
        },
        [](double sum, double product, int64_t k) {
          return k == 2 ? 0 : sum + product;
        }),
    steps(
        "products that are added", 3,
        [](Pipeline &ring, Fragment &acc, Index) {
          Stage s = ring.wait();
          acc = acc + mma(s[0], s[1].T(), nothing());
          ring.release(s);
        },
        add),
    steps(
        "scaled products that are added", 2,
        [](Pipeline &ring, Fragment &acc, Index) {
          Stage s = ring.wait();
          Fragment p = mma(s[0], s[1].T(), nothing());
          ring.release(s);
          acc = acc + p * 0.25f;
        },
        [](double sum, double product, int64_t) { return sum + product / 4; }),
    steps(
        "a sum that is scaled before each product", 3,
        [](Pipeline &ring, Fragment &acc, Index) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc * 0.5f);
          ring.release(s);
        },
        [](double sum, double product, int64_t) { return sum / 2 + product; }),
    steps(
        "products in a branch", 3,
        [](Pipeline &ring, Fragment &acc, Index k) {
          Stage s = ring.wait();
          when(k % 2 == 1, [&] { acc = mma(s[0], s[1].T(), acc); });
          ring.release(s);
        },
        [](double sum, double product, int64_t k) {
          return k % 2 ? sum + product : sum;
        }),
    steps("one stage", 1, product, add),

    several("two stages of three at once", 3, 2,
            [](Pipeline &ring, Fragment &acc, Index) {
              Stage s = ring.wait(), t = ring.wait();
              acc = mma(s[0], s[1].T(), acc);
              acc = mma(t[0], t[1].T(), acc);
              ring.release(s);
              ring.release(t);
            }),
    several("two stages of two at once, the last one first", 2, 2,
            [](Pipeline &ring, Fragment &acc, Index) {
              Stage s = ring.wait(), t = ring.wait();
              acc = mma(s[0], s[1].T(), acc);
              acc = mma(t[0], t[1].T(), acc);
              ring.release(t);
              ring.release(s);
            }),
    several("three stages of four, taken and given back in turns", 4, 3,
            [](Pipeline &ring, Fragment &acc, Index) {
              Stage s = ring.wait(), t = ring.wait();
              acc = mma(t[0], t[1].T(), acc);
              Stage u = ring.wait();
              acc = mma(s[0], s[1].T(), acc);
              ring.release(t);
              acc = mma(u[0], u[1].T(), acc);
              ring.release(u);
              ring.release(s);
            }),
    several("a release between two products", 3, 2,
            [](Pipeline &ring, Fragment &acc, Index) {
              Stage s = ring.wait();
              acc = mma(s[0], s[1].T(), acc);
              ring.release(s);
              Stage t = ring.wait();
              acc = mma(t[0], t[1].T(), acc);
              ring.release(t);
            }),
    behindProduct(0),
    behindProduct(1),
    ahead(2),
    ahead(4),
    twoSums(),
});

} // namespace
} // namespace ashlar::test
