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
  return registerFeatures({unusedVector()});
}();

} // namespace
} // namespace ashlar::test
