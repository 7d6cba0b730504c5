// Arithmetic on fragments.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

/// A vector of fewer elements than the role has threads, which nobody uses.
Feature unusedVector() {
  return {"a vector that is loaded and not used",
          [] {
            return kernel("unused", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor Y = input("Y", f32, {N});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = grid({M, N}, {32, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Fragment x = load(X.tile({m, n}), {32, 64});
                  Fragment y = load(Y.tile({n}), {64});
                  y *y;
                  store(D.tile({m, n}), x);
                }
              });
            });
          },
          {{{"M", 40}, {"N", 100}}},
          [](const Problem &p, Coordinate at) { return p["X"](at); },
          0};
}

using Formula = Fragment (*)(const Fragment &, const Fragment &,
                             const Fragment &);

/// A kernel that computes D from X, Y and Z, element by element.
Kernel elementwise(ElementType type, Formula formula) {
  return kernel("elementwise", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", type, {M, N}), Y = input("Y", type, {M, N});
    Tensor Z = input("Z", type, {M, N}), D = output("D", type, {M, N});
    TileLoop tiles = grid({M, N}, {32, 64});
    role("all", warps(4), [&] {
      for (auto [m, n] : tiles)
        store(D.tile({m, n}), formula(load(X.tile({m, n}), {32, 64}),
                                      load(Y.tile({m, n}), {32, 64}),
                                      load(Z.tile({m, n}), {32, 64})));
    });
  });
}

Fragment productAndSum(const Fragment &x, const Fragment &y,
                       const Fragment &z) {
  return x * y + z;
}
Fragment productAndDifference(const Fragment &x, const Fragment &y,
                              const Fragment &z) {
  return z - x * y;
}
Fragment separately(const Fragment &x, const Fragment &y, const Fragment &z) {
  return mul_rn(x, y) + z;
}
Fragment fused(const Fragment &x, const Fragment &y, const Fragment &z) {
  return fma(x, y, z);
}
Fragment clamped(const Fragment &x, const Fragment &y, const Fragment &z) {
  return clamp(x, y, z);
}
Fragment whereRootIsNone(const Fragment &x, const Fragment &y,
                         const Fragment &z) {
  return select(isnan(sqrt(x)), y, z);
}

struct Operator {
  std::string name;
  Formula formula;
  int64_t (*reference)(int64_t x, int64_t y, int64_t bits);
};

const std::vector<Operator> ofIntegers = {
    {"%",
     [](const Fragment &x, const Fragment &y, const Fragment &) {
       return x % (y | 1);
     },
     [](int64_t x, int64_t y, int64_t) { return x % (y | 1); }},
    {"% of a number",
     [](const Fragment &, const Fragment &y, const Fragment &) {
       return 100 % (y | 1);
     },
     [](int64_t, int64_t y, int64_t) { return 100 % (y | 1); }},
    {"% by a number",
     [](const Fragment &x, const Fragment &, const Fragment &) {
       return x % 7;
     },
     [](int64_t x, int64_t, int64_t) { return x % 7; }},
    {"&, | and ^",
     [](const Fragment &x, const Fragment &y, const Fragment &) {
       return ((x & y) | 5) ^ (9 & x);
     },
     [](int64_t x, int64_t y, int64_t) { return ((x & y) | 5) ^ (9 & x); }},
    {"~",
     [](const Fragment &x, const Fragment &, const Fragment &) { return ~x; },
     [](int64_t x, int64_t, int64_t) { return ~x; }},
    {"<<",
     [](const Fragment &x, const Fragment &y, const Fragment &) {
       return x << y;
     },
     [](int64_t x, int64_t y, int64_t bits) {
       return int64_t(uint64_t(x) << (y & (bits - 1)));
     }},
    {">>",
     [](const Fragment &x, const Fragment &y, const Fragment &) {
       return x >> y;
     },
     [](int64_t x, int64_t y, int64_t bits) { return x >> (y & (bits - 1)); }},
};

/// An operator on integers of so many bits.
Feature integers(const Operator &what, ElementType type, int64_t bits) {
  return {what.name + " on integers of " + std::to_string(bits) + " bits",
          [=] { return elementwise(type, what.formula); },
          {{{"M", 70}, {"N", 144}}},
          [=](const Problem &p, Coordinate at) {
            const int64_t result =
                what.reference(int64_t(p["X"](at)), int64_t(p["Y"](at)), bits);
            return double(int64_t(uint64_t(result) << (64 - bits)) >>
                          (64 - bits));
          },
          0};
}

/// Quotients of numbers of so many bits, among which is the least, by -1, which
/// wraps around; a quotient is seen with all the bits that an s32 has.
Feature dividedByMinusOne(ElementType type, int64_t bits, bool isRemainder,
                          bool isConstant) {
  const std::string what = isRemainder ? "a remainder" : "a quotient";
  return {
      what + " by minus 1" + (isConstant ? ", a constant," : "") +
          " of integers of " + std::to_string(bits) + " bits",
      [=] {
        return kernel("divided", [&] {
          Size N = size("N");
          Tensor X = input("X", type, {N}, align(4));
          Tensor Y = input("Y", type, {N}, align(4));
          Tensor D = output("D", s32, {N});
          TileLoop tiles = grid({N}, {256});
          role("all", warps(4), [&] {
            for (auto [n] : tiles) {
              Fragment x = load(X.tile({n}), {256});
              Fragment y = isConstant ? full(type, {256}, -1)
                                      : load(Y.tile({n}), {256}) | 1;
              Fragment result = isRemainder ? x % y : x / y;
              store(D.tile({n}), type == s32 ? result : convert(result, s32));
            }
          });
        });
      },
      {{{"N", 1000}}},
      [=](const Problem &p, Coordinate at) {
        const auto x = int64_t(p["X"](at)), y = int64_t(p["Y"](at)) | 1;
        const int64_t by = isConstant ? -1 : y;
        const int64_t result = isRemainder ? x % by : x / by;
        return double(int64_t(uint64_t(result) << (64 - bits)) >> (64 - bits));
      },
      0,
      {},
      "D",
      {},
      {{"X",
        [=](const Problem &, Coordinate at) {
          return at[0] % 3 ? double(at[0] % 50) : -std::exp2(bits - 1);
        }},
       {"Y", [](const Problem &, Coordinate at) {
          return at[0] % 2 ? -1.0 : double(at[0] % 100);
        }}}};
}

/// The least number of so many bits is its own negative, and its own magnitude.
Feature negatedAndAbsolute(ElementType type, int64_t bits) {
  return {"negatives and magnitudes of integers of " + std::to_string(bits) +
              " bits",
          [=] {
            return kernel("negated", [&] {
              Size N = size("N");
              Tensor X = input("X", type, {N}, align(4));
              Tensor D = output("D", s32, {2, N}, align(4));
              TileLoop tiles = grid({N}, {256});
              role("all", warps(4), [&] {
                for (auto [n] : tiles) {
                  Fragment x = load(X.tile({n}), {256});
                  auto wide = [&](const Fragment &of) {
                    return type == s32 ? of : convert(of, s32);
                  };
                  store(D.tile({0, n}), wide(-x));
                  store(D.tile({1, n}), wide(abs(x)));
                }
              });
            });
          },
          {{{"N", 1000}}},
          [=](const Problem &p, Coordinate at) {
            const auto x = int64_t(p["X"](at[1]));
            const int64_t result = at[0] ? std::abs(x) : -x;
            return double(int64_t(uint64_t(result) << (64 - bits)) >>
                          (64 - bits));
          },
          0,
          {},
          "D",
          {},
          {{"X", [=](const Problem &, Coordinate at) {
              return at[0] % 3 ? double(at[0] % 50 - 25) : -std::exp2(bits - 1);
            }}}};
}

/// Every element is rounded as often as the formula says: no tolerance.
void isExactly(Formula formula, float (*reference)(float, float, float)) {
  Module module(device(), compileCleanly(elementwise(f32, formula)));
  Problem problem =
      randomProblem(module.artifact(), {{"M", 70}, {"N", 133}}, {}, {});
  auto at = [&](Coordinate c) -> double {
    return reference(float(problem["X"](c)), float(problem["Y"](c)),
                     float(problem["Z"](c)));
  };
  EXPECT_EQ(relativeError(launch(module, problem), at), 0);
}

/// Pairs of 16-bit floats contract, too: two elements to an instruction.
void contractsPairs(ElementType type, const std::string &suffix) {
  auto has = [&](Formula formula, const std::string &instruction) {
    const std::string ptx = compileCleanly(elementwise(type, formula)).ptx;
    return ptx.find(instruction + suffix) != std::string::npos;
  };
  for (Formula formula : {productAndSum, fused}) {
    EXPECT_TRUE(has(formula, "fma.rn."));
    EXPECT_FALSE(has(formula, "mul.rn.") || has(formula, "mul."));
  }
  EXPECT_TRUE(has(separately, "mul.rn."));
  EXPECT_FALSE(has(separately, "fma.rn."));

  Module module(device(), compileCleanly(elementwise(type, fused)));
  Problem problem =
      randomProblem(module.artifact(), {{"M", 70}, {"N", 133}}, {}, {});
  auto reference = [&](Coordinate at) {
    return problem["X"](at) * problem["Y"](at) + problem["Z"](at);
  };
  EXPECT_LE(relativeError(launch(module, problem), reference),
            type == bf16 ? 0x1p-8 : 0x1p-11);
}

[[maybe_unused]] const bool registered = [] {
  registerTest("Arithmetic", "a product and a sum contract", [] {
    isExactly(productAndSum,
              [](float x, float y, float z) { return std::fma(x, y, z); });
  });
  registerTest("Arithmetic", "a sum less a product contracts", [] {
    isExactly(productAndDifference,
              [](float x, float y, float z) { return std::fma(-x, y, z); });
  });
  registerTest("Arithmetic", "a product of its own does not contract", [] {
    isExactly(separately, [](float x, float y, float z) {
      volatile float product = x * y;
      return product + z;
    });
  });
  registerTest("Arithmetic", "fma", [] {
    isExactly(fused,
              [](float x, float y, float z) { return std::fma(x, y, z); });
  });
  registerTest("Arithmetic", "pairs of bf16 contract",
               [] { contractsPairs(bf16, "bf16x2"); });
  registerTest("Arithmetic", "pairs of f16 contract",
               [] { contractsPairs(f16, "f16x2"); });
  registerTest("Arithmetic", "clamp", [] {
    isExactly(clamped, [](float x, float y, float z) {
      return std::fmin(std::fmax(x, y), z);
    });
  });
  registerTest("Arithmetic", "isnan", [] {
    isExactly(whereRootIsNone,
              [](float x, float y, float z) { return x < 0 ? y : z; });
  });
  std::vector<Feature> features = {unusedVector()};
  for (const Operator &what : ofIntegers) {
    features.push_back(integers(what, s32, 32));
    features.push_back(integers(what, s16, 16));
    features.push_back(integers(what, s8, 8));
  }
  for (auto [type, bits] : {std::pair(s32, 32), {s16, 16}, {s8, 8}}) {
    features.push_back(negatedAndAbsolute(type, bits));
    for (bool isRemainder : {false, true})
      for (bool isConstant : {false, true})
        features.push_back(
            dividedByMinusOne(type, bits, isRemainder, isConstant));
  }
  return registerFeatures(features);
}();

} // namespace
} // namespace ashlar::test
