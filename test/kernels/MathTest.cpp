// Functions of floats, against the host's: the errors are those that
// docs/arithmetic.md states.

#include "test/kernels/Feature.h"
#include "test/kernels/Register.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace ashlar::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

struct Function {
  std::string name;
  Fragment (*compute)(const Fragment &);
  double (*reference)(double);
  double from, to; ///< where it is defined and no result overflows
  double (*error)(double x, double result);
  /// Smaller results and arguments may be zeros.
  double flushed = 0;
  ElementType type = f32;
};

template <int exponent> double relative(double, double result) {
  return std::ldexp(std::fabs(result), exponent);
}
template <int exponent> double absolute(double, double) {
  return std::ldexp(1.0, exponent);
}
/// Half a unit in the last place of f32.
double rounded(double, double result) {
  int exponent;
  std::frexp(result, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 25);
}
double oneUlp(double x, double result) { return 2 * rounded(x, result); }
double twoUlp(double x, double result) { return 4 * rounded(x, result); }

double exact(double, double) { return 0; }

double fastExpError(double x, double result) {
  return (0x1p-22 + 0x1p-23 * std::fabs(x)) * result;
}
double fastLogError(double x, double result) {
  return x > 0.5 && x < 2 ? 0x1p-21 : relative<-21>(x, result);
}
double fastLog2Error(double x, double result) {
  return x > 0.5 && x < 2 ? 0x1p-22 : relative<-22>(x, result);
}

/// Values of a type, spread over all exponents between two bounds, of both
/// signs where the bounds are, and both ends.
void fill(HostTensor &tensor, double from, double to) {
  const int64_t count = tensor.elements();
  const double largest = std::max(std::fabs(from), std::fabs(to));
  const double smallest = from > 0 ? from : std::min(0x1p-126, largest / 2);
  for (int64_t i = 0; i < count; ++i) {
    const double part = double(i / 2) / double((count - 1) / 2);
    double value = smallest * std::pow(largest / smallest, part);
    value = i % 2 && from < 0 ? -value : value;
    tensor.write(i, std::min(std::max(value, from), to));
  }
}

HostTensor &argumentOf(Problem &problem) {
  return *std::ranges::find(problem.tensors, "X", &HostTensor::name);
}

Kernel kernelOf(const Function &function) {
  return kernel("function", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", function.type, {M, N});
    Tensor D = output("D", function.type, {M, N});
    TileLoop tiles = grid({M, N}, {32, 64});
    role("all", warps(4), [&] {
      for (auto [m, n] : tiles)
        store(D.tile({m, n}), function.compute(load(X.tile({m, n}), {32, 64})));
    });
  });
}

void isWithinItsError(const Function &function) {
  Module module(device(), compileCleanly(kernelOf(function)));
  Problem problem =
      randomProblem(module.artifact(), {{"M", 96}, {"N", 128}}, {}, {});
  HostTensor &x = argumentOf(problem);
  fill(x, function.from, function.to);
  const HostTensor d = launch(module, problem);
  int wrong = 0;
  for (int64_t m = 0; m < 96; ++m)
    for (int64_t n = 0; n < 128; ++n) {
      const double argument = x(m, n), expected = function.reference(argument);
      const double error = std::fabs(d(m, n) - expected);
      const bool mayFlush = std::fabs(argument) < function.flushed ||
                            std::fabs(expected) < function.flushed;
      if (!(error <= function.error(argument, expected)) && !mayFlush &&
          wrong++ < 3)
        ADD_FAILURE() << function.name << " of " << argument << " is "
                      << d(m, n) << ", not " << expected << ": off by "
                      << error / std::fabs(expected);
    }
  EXPECT_EQ(wrong, 0);
}

struct Limit {
  float argument, result;
};

void isRightAtItsLimits(const Function &function,
                        const std::vector<Limit> &limits) {
  Module module(device(), compileCleanly(kernelOf(function)));
  Problem problem =
      randomProblem(module.artifact(), {{"M", 32}, {"N", 64}}, {}, {});
  for (size_t i = 0; i < limits.size(); ++i)
    // Not by `write`, which knows no infinities.
    std::memcpy(argumentOf(problem).bytes().data() + i * sizeof(float),
                &limits[i].argument, sizeof(float));
  const HostTensor d = launch(module, problem);
  for (size_t i = 0; i < limits.size(); ++i) {
    const auto found = float(d(0, int64_t(i))), expected = limits[i].result;
    EXPECT_TRUE(std::isnan(expected) ? std::isnan(found) : found == expected)
        << function.name << " of " << limits[i].argument << " is " << found
        << ", not " << expected;
  }
}

double reciprocal(double x) { return 1 / x; }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double sigmoidOf(double x) { return 1 / (1 + std::exp(-x)); }

const double least = 0x1p-126, most = 0x1.fffffep127;

double fastPowError(double base, double exponent, double result) {
  return (0x1p-22 + 0x1p-22 * std::fabs(exponent) *
                        std::max(1.0, std::fabs(std::log2(base)))) *
         result;
}

const std::vector<Function> functions = {
    {"exp", [](const Fragment &x) { return exp(x); }, std::exp, -87, 88.7,
     relative<-21>},
    {"exp2", [](const Fragment &x) { return exp2(x); }, std::exp2, -126, 127.9,
     relative<-22>},
    {"log", [](const Fragment &x) { return log(x); }, std::log, 0x1p-149, most,
     relative<-22>},
    {"log near 1", [](const Fragment &x) { return log(x); }, std::log, 0.7, 1.4,
     relative<-22>},
    {"log2", [](const Fragment &x) { return log2(x); }, std::log2, 0x1p-149,
     most, relative<-22>},
    {"log2 near 1", [](const Fragment &x) { return log2(x); }, std::log2, 0.7,
     1.4, relative<-22>},
    {"rsqrt", [](const Fragment &x) { return rsqrt(x); }, reciprocalRoot, least,
     most, relative<-22>},
    {"sqrt", [](const Fragment &x) { return sqrt(x); }, std::sqrt, 0x1p-149,
     most, rounded},
    {"tanh", [](const Fragment &x) { return tanh(x); }, std::tanh, -20, 20,
     relative<-21>},
    {"a quotient", [](const Fragment &x) { return 3 / x; },
     [](double x) { return 3 / x; }, -0x1p120, 0x1p120, rounded},
    {"a reciprocal", [](const Fragment &x) { return 1 / x; }, reciprocal,
     -0x1p120, 0x1p120, rounded},
    {"fast exp", [](const Fragment &x) { return fast::exp(x); }, std::exp, -87,
     88, fastExpError, least},
    {"fast exp2", [](const Fragment &x) { return fast::exp2(x); }, std::exp2,
     -126, 127.9, relative<-22>, least},
    {"fast log", [](const Fragment &x) { return fast::log(x); }, std::log,
     least, most, fastLogError, least},
    {"fast log2", [](const Fragment &x) { return fast::log2(x); }, std::log2,
     least, most, fastLog2Error, least},
    {"fast log2 near 1", [](const Fragment &x) { return fast::log2(x); },
     std::log2, 0.7, 1.4, fastLog2Error, least},
    {"fast rsqrt", [](const Fragment &x) { return fast::rsqrt(x); },
     reciprocalRoot, least, most, relative<-22>, least},
    {"fast sqrt", [](const Fragment &x) { return fast::sqrt(x); }, std::sqrt,
     least, most, relative<-23>, least},
    {"fast tanh", [](const Fragment &x) { return fast::tanh(x); }, std::tanh,
     -20, 20, relative<-11>, least},
    {"a fast quotient", [](const Fragment &x) { return fast::divide(3, x); },
     [](double x) { return 3 / x; }, -0x1p120, 0x1p120, twoUlp, least},
    {"a fast reciprocal", [](const Fragment &x) { return fast::divide(1, x); },
     reciprocal, -0x1p120, 0x1p120, oneUlp, least},
    {"sigmoid", [](const Fragment &x) { return sigmoid(x); }, sigmoidOf, -80,
     80,
     [](double x, double result) {
       return (0x1p-20 + 0x1p-23 * std::fabs(x)) * result;
     },
     least},
    {"sin", [](const Fragment &x) { return sin(x); }, std::sin, -100, 100,
     relative<-22>},
    {"sin of large angles", [](const Fragment &x) { return sin(x); }, std::sin,
     -0x1p50, 0x1p50, relative<-22>},
    {"cos", [](const Fragment &x) { return cos(x); }, std::cos, -100, 100,
     relative<-22>},
    {"cos of large angles", [](const Fragment &x) { return cos(x); }, std::cos,
     -0x1p50, 0x1p50, relative<-22>},
    {"fast sin", [](const Fragment &x) { return fast::sin(x); }, std::sin,
     -3.14, 3.14, absolute<-20>},
    {"fast cos", [](const Fragment &x) { return fast::cos(x); }, std::cos,
     -3.14, 3.14, absolute<-20>},
    {"erf", [](const Fragment &x) { return erf(x); }, std::erf, -5, 5,
     relative<-22>},
    {"erf near 0", [](const Fragment &x) { return erf(x); }, std::erf, -0.1,
     0.1, relative<-22>},
    {"pow of a fragment", [](const Fragment &x) { return pow(x, 2.5); },
     [](double x) { return std::pow(x, 2.5); }, 0x1p-50, 0x1p51, relative<-21>},
    {"pow with a negative exponent",
     [](const Fragment &x) { return pow(x, -0.5); },
     [](double x) { return std::pow(x, -0.5); }, 0x1p-149, most, relative<-21>},
    {"pow of a negative base", [](const Fragment &x) { return pow(x, 3); },
     [](double x) { return std::pow(x, 3.0); }, -0x1p42, 0x1p42, relative<-21>,
     least},
    {"pow near 1", [](const Fragment &x) { return pow(x, 100); },
     [](double x) { return std::pow(x, 100.0); }, 0.5, 2, relative<-21>},
    {"pow of a number", [](const Fragment &x) { return pow(10, x); },
     [](double x) { return std::pow(10.0, x); }, -37, 38, relative<-21>},
    {"pow of a fragment by itself", [](const Fragment &x) { return pow(x, x); },
     [](double x) { return std::pow(x, x); }, 0x1p-126, 26, relative<-21>},
    {"pow by a scalar",
     [](const Fragment &x) { return pow(x, pow(convert(16, f32), 0.25)); },
     [](double x) { return x * x; }, 0x1p-60, 0x1p60, relative<-21>},
    {"fast pow", [](const Fragment &x) { return fast::pow(x, 1.5); },
     [](double x) { return std::pow(x, 1.5); }, 0x1p-80, 0x1p80,
     [](double x, double result) { return fastPowError(x, 1.5, result); },
     least},
    {"fast pow of a number", [](const Fragment &x) { return fast::pow(3, x); },
     [](double x) { return std::pow(3.0, x); }, -75, 80,
     [](double x, double result) { return fastPowError(3, x, result); }, least},
    {"pow of bf16", [](const Fragment &x) { return pow(x, 3); },
     [](double x) { return std::pow(x, 3.0); }, 0x1p-40, 0x1p40, relative<-8>,
     0, bf16},
    // For their limits.
    {"pow by 0.5", [](const Fragment &x) { return pow(x, 0.5); }, std::sqrt, 0,
     4, relative<-21>},
    {"pow by minus 3", [](const Fragment &x) { return pow(x, -3); },
     [](double x) { return std::pow(x, -3.0); }, 0.5, 2, relative<-21>},
    {"pow by 0", [](const Fragment &x) { return pow(x, 0); },
     [](double) { return 1.0; }, -2, 2, exact},
    {"pow of 1", [](const Fragment &x) { return pow(1, x); },
     [](double) { return 1.0; }, -2, 2, exact},
    {"pow of 2", [](const Fragment &x) { return pow(2, x); }, std::exp2, -126,
     127, relative<-21>},
    {"1 without its sign", [](const Fragment &x) { return abs(pow(-1, x)); },
     [](double) { return 1.0; }, 0x1p24, 0x1p30, exact},
    {"floor", [](const Fragment &x) { return floor(x); }, std::floor, -0x1p25,
     0x1p25, exact},
    {"ceil", [](const Fragment &x) { return ceil(x); }, std::ceil, -0x1p25,
     0x1p25, exact},
    {"trunc", [](const Fragment &x) { return trunc(x); }, std::trunc, -0x1p25,
     0x1p25, exact},
    {"rint", [](const Fragment &x) { return rint(x); }, std::nearbyint, -0x1p25,
     0x1p25, exact},
    {"floor of bf16", [](const Fragment &x) { return floor(x); }, std::floor,
     -300, 300, exact, 0, bf16},
    {"rint of f16", [](const Fragment &x) { return rint(x); }, std::nearbyint,
     -3000, 3000, exact, 0, f16},
    {"exp of bf16", [](const Fragment &x) { return exp(x); }, std::exp, -80, 88,
     relative<-8>, 0, bf16},
    {"fast exp2 of bf16", [](const Fragment &x) { return fast::exp2(x); },
     std::exp2, -120, 127, relative<-7>, least, bf16},
    {"fast exp2 of f16", [](const Fragment &x) { return fast::exp2(x); },
     std::exp2, -14, 15.5, relative<-9>, 0x1p-14, f16},
    {"fast tanh of bf16", [](const Fragment &x) { return fast::tanh(x); },
     std::tanh, -20, 20, absolute<-8>, 0, bf16},
    {"fast tanh of f16", [](const Fragment &x) { return fast::tanh(x); },
     std::tanh, -20, 20, absolute<-10>, 0x1p-14, f16},
};

const Function &named(std::string_view name) {
  for (const Function &function : functions)
    if (function.name == name)
      return function;
  throw Error("there is no function " + std::string(name));
}

void registerLimits(std::string_view name, const std::vector<Limit> &limits) {
  const Function &function = named(name);
  registerTest("Math", function.name + " at its limits",
               [&function, limits] { isRightAtItsLimits(function, limits); });
}

[[maybe_unused]] const bool registered = [] {
  for (const Function &function : functions)
    registerTest("Math", function.name,
                 [&function] { isWithinItsError(function); });
  registerLimits("exp", {{0, 1},
                         {-0.0F, 1},
                         {-infinity, 0},
                         {infinity, infinity},
                         {89, infinity},
                         {1e30F, infinity},
                         {-1e30F, 0},
                         {-104, 0},
                         {notANumber, notANumber}});
  registerLimits("tanh", {{0, 0},
                          {-infinity, -1},
                          {infinity, 1},
                          {-1e30F, -1},
                          {0x1p-149, 0x1p-149},
                          {notANumber, notANumber}});
  registerLimits("sin", {{0, 0},
                         {0x1p-149, 0x1p-149},
                         {0x1p51F, notANumber},
                         {-infinity, notANumber},
                         {notANumber, notANumber}});
  registerLimits("cos", {{0, 1}, {infinity, notANumber}});
  registerLimits("erf", {{0, 0},
                         {-infinity, -1},
                         {infinity, 1},
                         {0x1p-149, 0x1p-149},
                         {notANumber, notANumber}});
  registerLimits("pow by 0.5", {{0, 0},
                                {-0.0F, 0},
                                {-1, notANumber},
                                {-infinity, infinity},
                                {infinity, infinity},
                                {notANumber, notANumber}});
  registerLimits("pow by minus 3", {{0, infinity},
                                    {-0.0F, -infinity},
                                    {-infinity, 0},
                                    {infinity, 0},
                                    {-2, -0.125F},
                                    {0x1p-149, infinity},
                                    {notANumber, notANumber}});
  registerLimits("pow by 0",
                 {{0, 1}, {-infinity, 1}, {notANumber, 1}, {-3, 1}});
  registerLimits("pow of 1", {{notANumber, 1}, {infinity, 1}, {-infinity, 1}});
  registerLimits("pow of 2", {{128, infinity},
                              {1e30F, infinity},
                              {-149, 0x1p-149},
                              {-140, 0x1p-140},
                              {-152, 0},
                              {-infinity, 0},
                              {infinity, infinity},
                              {notANumber, notANumber}});
  registerLimits("1 without its sign", {{0.5F, notANumber},
                                        {3, 1},
                                        {infinity, 1},
                                        {-infinity, 1},
                                        {0x1p30F, 1},
                                        {notANumber, notANumber}});
  registerLimits("fast pow", {{-1, notANumber}, {0, 0}, {1, 1}});
  registerLimits("log", {{0, -infinity}, {1, 0}, {-1, notANumber}});
  registerLimits("log2", {{0, -infinity},
                          {-0.0F, -infinity},
                          {1, 0},
                          {infinity, infinity},
                          {-1, notANumber},
                          {-infinity, notANumber},
                          {notANumber, notANumber}});
  registerLimits("sqrt", {{0, 0}, {infinity, infinity}, {-1, notANumber}});
  registerLimits("floor", {{-0.5F, -1},
                           {-0x1p-149, -1},
                           {infinity, infinity},
                           {notANumber, notANumber}});
  registerLimits("ceil", {{0x1p-149, 1}, {-infinity, -infinity}});
  registerLimits("trunc", {{-1.75F, -1}, {notANumber, notANumber}});
  registerLimits("rint", {{0.5F, 0}, {1.5F, 2}, {2.5F, 2}, {-2.5F, -2}});
  registerLimits("fast exp", {{-infinity, 0}, {infinity, infinity}, {0, 1}});
  return true;
}();

} // namespace
} // namespace ashlar::test
