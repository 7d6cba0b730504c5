// Indices that 32 bits do not hold: products of sizes as bounds, coordinates
// far outside of a tensor, and what a loop carries.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"

#include <gmock/gmock.h>

namespace ashlar::test {
namespace {

const Shape tileShape{32, 64};

/// Numbers of which no tensor is made: their product has 40 bits.
const Sizes sizes = {{"M", 70}, {"N", 133}, {"P", 1 << 20}, {"Q", 1 << 20}};

/// D = S, of float32, by a role that is given the coordinates of a tile.
Feature
feature(std::string name,
        std::function<void(Tensor, Tensor, Index, Index, Size, Size)> body,
        std::function<double(double)> expected) {
  return {std::move(name),
          [=] {
            return kernel("wide", [&] {
              Size M = size("M"), N = size("N"), P = size("P"), Q = size("Q");
              Tensor S = input("S", f32, {M, N});
              Tensor D = inout("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {32, 64});
              role("move", warps(4), [&] {
                for (auto [m, n] : tiles)
                  body(S, D, m, n, P, Q);
              });
            });
          },
          {sizes},
          [=](const Problem &p, Coordinate at) {
            return expected(p["S"](at[0], at[1]));
          },
          1e-7};
}

/// A loop whose bound is a quotient of a product.
void sumsQuotient(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape), sum = x;
  for (Index i : range(P * Q / (P * (Q / 2))))
    sum = sum + x;
  store(D.tile({m, n}), sum);
}

/// A loop from and to numbers of more than 32 bits.
void sumsFar(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape), sum = x;
  for (Index i : range(P * Q, P * Q + 3 * P, P))
    when((i - P * Q) / P < 2, [&] { sum = sum + x; });
  store(D.tile({m, n}), sum);
}

/// A loop whose step is a size.
void sumsBySize(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape), sum = x;
  for (Index i : range(0, P, Q))
    sum = sum + x;
  store(D.tile({m, n}), sum);
}

/// Far above the tensor, where 32 bits would show its first row.
void storesFar(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape);
  store(D.tile({m, n}), x);
  store(D.tile({m + (1 << 27), n}), x + x);
  store(D.tile({m - (1 << 27), n}), x + x);
  store(D.at({m * 32, P * Q * 4096 + n * 64}), x + x);
}

void loadsFar(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape);
  Fragment above = load(S.tile({m + (1 << 27), n}), tileShape);
  Fragment left = load(S.at({m * 32, n * 64 - P * Q}), tileShape);
  store(D.tile({m, n}), x + above + left);
}

/// An index as a number: all of the 31 bits, and no more.
void becomesNumber(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Index most = P * Q / 512 - 1;
  Scalar number = convert(most, s32), beyond = convert(most + 1, s32);
  Scalar least = convert(0 - P * Q, s32);
  Scalar is = select(number == 2147483647 && beyond == number && least < 0 &&
                         least + 2147483647 == -1,
                     convert(1, f32), 0);
  store(D.tile({m, n}), load(S.tile({m, n}), tileShape) * is);
}

/// What a loop and a branch carry.
void carries(Tensor S, Tensor D, Index m, Index n, Size P, Size Q) {
  Fragment x = load(S.tile({m, n}), tileShape);
  Index far = 0;
  for (Index i : range(3)) {
    far = far + P * Q;
    when(i == 2, [&] { far = far - 3 * P * Q; });
  }
  store(D.at({m * 32 + far, n * 64}), x);
}

/// Two warpgroups in ping-pong pass by the stages of a loop between far
/// numbers.
Feature passesByFar() {
  return {"warpgroups take turns over a loop between far numbers",
          [] {
            return kernel("wide", [] {
              Size M = size("M"), N = size("N"), P = size("P"), Q = size("Q");
              Tensor A = input("A", bf16, {M, 64});
              Tensor B = input("B", bf16, {N, 64});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {64, 64});
              Pipeline ring =
                  pipeline(3, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
              auto loop = [&](Index m) {
                return range(P * Q, P * Q + (m % 2 + 1) * P, P);
              };
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index i : loop(m)) {
                    Stage s = ring.acquire();
                    copy(A.tile({m, 0}), s[0]);
                    copy(B.tile({n, 0}), s[1]);
                    ring.commit(s);
                  }
              });
              role("math", ping_pong(2), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(f32, {64, 64});
                  for (Index i : loop(m)) {
                    Stage s = ring.wait();
                    acc = mma(s[0], s[1].T(), acc);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), acc);
                }
              });
            });
          },
          {{{"M", 300}, {"N", 200}, {"P", 1 << 20}, {"Q", 1 << 20}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < 64; ++k)
              sum += p["A"](at[0], k) * p["B"](at[1], k);
            return double(at[0] / 64 % 2 + 1) * sum;
          },
          1e-5};
}

/// The sum of `trips` tiles, and its compiled form.
Artifact summing(std::function<Index(Size, Size)> trips) {
  return compileCleanly(kernel("sums", [=] {
    Size P = size("P"), Q = size("Q");
    Tensor D = output("D", f32, {64, 64});
    Index end = trips(P, Q);
    role("sum", warps(4), [&] {
      Fragment sum = zeros(f32, {64, 64});
      for (Index i : range(end))
        sum = sum + 1.0;
      store(D.tile({0, 0}), sum);
    });
  }));
}

void refusesWhatIsBeyondItsBound() {
  const int line = __LINE__ + 2;
  const Artifact artifact = summing([](Size P, Size Q) {
    return at_most(ceil_div(P * Q, max(P % 3, 1)) - 1, 99);
  });
  Module module(device(), artifact);
  auto result = [&](int64_t p, int64_t q) {
    return launch(module, randomProblem(artifact, {{"P", p}, {"Q", q}}))(63,
                                                                         63);
  };
  EXPECT_EQ(result(100, 1), 99);
  EXPECT_EQ(result(5, 40), 99);
  try {
    result(1 << 20, 1 << 20);
    ADD_FAILURE() << "the launch is not refused";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(
                    testing::HasSubstr("WideIndicesTest.cpp:" +
                                       std::to_string(line) + ": error: "),
                    testing::HasSubstr("index is 1099511627775, and the kernel "
                                       "takes at most 99")));
  }
}

/// A condition of two sizes that each launch checks, as C++ does.
template <typename Expected> void isCheckedByLaunches(Expected expected) {
  const Artifact artifact = summing([&](Size P, Size Q) {
    expect(expected(P, Q), "P and Q are a pair");
    return P;
  });
  Module module(device(), artifact);
  for (int64_t p : {0, 1, 2, 3})
    for (int64_t q : {0, 1, 2, 3}) {
      bool isLaunched = true;
      try {
        launch(module, randomProblem(artifact, {{"P", p}, {"Q", q}}));
      } catch (const Error &error) {
        isLaunched = false;
        EXPECT_THAT(error.what(),
                    testing::ContainsRegex(
                        "WideIndicesTest.cpp:[0-9]+: error: kernel 'sums' "
                        "expects: P and Q are a pair; with P=., Q=. "));
      }
      EXPECT_EQ(isLaunched, expected(p, q)) << p << " and " << q;
    }
}

void refusesWhatItDoesNotExpect() {
  isCheckedByLaunches([](auto p, auto q) { return p < q || p == 3; });
  isCheckedByLaunches([](auto p, auto q) { return p >= q && !(p > 2); });
  isCheckedByLaunches([](auto p, auto q) { return p <= q && q % 2 != 1; });
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  registerFeatures({
      feature("a bound that is a quotient of a product", sumsQuotient,
              [](double x) { return 3 * x; }),
      feature("a loop between far numbers", sumsFar,
              [](double x) { return 3 * x; }),
      feature("a loop by a size", sumsBySize, [](double x) { return 2 * x; }),
      feature("stores far outside", storesFar, [](double x) { return x; }),
      feature("loads far outside", loadsFar, [](double x) { return x; }),
      feature("what a loop carries is far", carries,
              [](double x) { return x; }),
      feature("an index is a number of 32 bits", becomesNumber,
              [](double x) { return x; }),
      passesByFar(),
  });
  registerTest("Index", "beyond its bound is refused",
               refusesWhatIsBeyondItsBound);
  registerTest("Index", "sizes that are not expected are refused",
               refusesWhatItDoesNotExpect);
});

} // namespace
} // namespace ashlar::test
