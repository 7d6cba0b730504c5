#include "test/kernels/GemmCase.h"
#include "test/kernels/FormReference.h"
#include "tool/MakeProblem.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

double largest(ElementType type) {
  return type == e4m3   ? 448
         : type == e5m2 ? 57344
         : type == s8   ? 127
         : type == u8   ? 255
                        : INFINITY;
}
double smallest(ElementType type) {
  return type == s8 ? -128 : type == u8 ? 0 : -largest(type);
}

/// Half a unit in the last place, relative to the value; and what it is where
/// numbers are subnormal.
double rounding(ElementType type) {
  return type == bf16   ? 0x1p-8
         : type == f16  ? 0x1p-11
         : type == e4m3 ? 0x1p-4
         : type == e5m2 ? 0x1p-3
                        : 0x1p-24;
}
double smallestRounding(ElementType type) {
  return type == f16                ? 0x1p-25
         : type == e4m3             ? 0x1p-10
         : type == e5m2             ? 0x1p-17
         : type == s8 || type == u8 ? 0.5
                                    : 0;
}

/// Of a sum of K products of normal numbers, relative to its deviation: the
/// tensor cores cut each partial sum off, of fp8 to 14 bits. Of f32 they have
/// sums of 32 products only; bf16 rounds their small parts.
double summation(const GemmCase &given, int64_t k) {
  const GemmTypes &types = given.types;
  // Exact, but what a form makes of it is rounded up to six times.
  if (types.a == s8 || types.a == u8)
    return 6 * 0x1p-24;
  if (types.a == f32)
    return 0x1p-22 * ((given.config.bf16_parts ? 32 : 8) + k / 256.0);
  if (size_bytes(types.a) > 1)
    return 0x1p-22 * (4 + k * size_bytes(types.a) / 32);
  const bool isPromoted = types.accumulation == Accumulation::full;
  return 0x1p-12 * (2 + (isPromoted ? std::min<int64_t>(k, 128) : k) / 32);
}

/// One matrix of a batch.
HostTensor matrixOf(const HostTensor &tensor, int64_t batch) {
  if (tensor.shape().size() == 2)
    return tensor;
  HostTensor matrix(tensor.name(), tensor.type(),
                    {tensor.shape()[1], tensor.shape()[2]},
                    {tensor.strides()[1], tensor.strides()[2]});
  const int64_t start = batch * tensor.strides()[0] * size_bytes(tensor.type());
  std::copy_n(tensor.bytes().begin() + start, matrix.bytes().size(),
              matrix.bytes().begin());
  return matrix;
}

class Run {
public:
  Run(const GemmCase &given, Artifact compiled)
      : given(given), module(device(), std::move(compiled)),
        problem(randomProblem(
            module.artifact(), given.sizes, scalarsOf(given.form),
            workspacesOf(given.types, given.config, given.form))) {}

  void check() {
    for (const GemmWorkspace &workspace : workspaces()) {
      const HostTensor &tensor = problem[std::string(workspace.name)];
      EXPECT_EQ(tensor.type(), workspace.type);
      if (workspace.name != "Partials" && workspace.name != "Arrivals")
        EXPECT_EQ(tensor.shape(), workspace.shape);
    }
    const std::vector<HostTensor> results = launchForAll(module, problem);
    for (const HostTensor &result : results)
      if (result.name() == "Amax")
        checkAmax(result, *std::ranges::find(results, "D", &HostTensor::name));
      else if (result.name() == "Arrivals" || result.name() == "Prepared")
        EXPECT_EQ(result.bytes(), problem[result.name()].bytes());
      else if (result.name() == "D" || result.name() == "Auxiliary")
        checkMatrices(result);
  }

private:
  std::vector<GemmWorkspace> workspaces() const {
    return gemm_workspace({problem.size("M"), problem.size("N"),
                           problem.size("K"),
                           isBatched() ? problem.size("batch") : 1},
                          given.types, given.config, given.form, 1);
  }

  bool isBatched() const { return given.form.batched; }

  void checkMatrices(const HostTensor &result) {
    const GemmLayout &layout = given.types.layout;
    for (int64_t i = 0; i < (isBatched() ? problem.size("batch") : 1); ++i) {
      const HostTensor a = matrixOf(problem["A"], i),
                       b = matrixOf(problem["B"], i), d = matrixOf(result, i);
      auto right = [&](double product, Coordinate at) {
        return expected(result.name() == "D", product, i, at);
      };
      // What is stored N×M is B · Aᵀ.
      const double worst =
          layout.d_m_major
              ? worstOfGemm(b, layout.b_n_major, a, layout.a_m_major, d, right)
              : worstOfGemm(a, layout.a_m_major, b, layout.b_n_major, d, right);
      EXPECT_LE(worst, 1) << "of the tolerance of an element of "
                          << result.name();
    }
  }

  Expected expected(bool isD, double product, int64_t batch,
                    Coordinate at) const {
    const GemmForm &form = given.form;
    const int64_t inBatch[] = {batch, at[0], at[1]};
    const Coordinate place = isBatched() ? Coordinate(inBatch) : at;
    const int64_t k = problem.size("K");
    const bool isTransposed = given.types.layout.d_m_major;
    const double x = linear(form, problem, place, product, isTransposed);
    const double scale = isD && form.scale_d ? problem.scalar("scale_d") : 1;
    double value =
        isD ? stored(form, problem, place, product, isTransposed) : x;
    double tolerance =
        1e-5 + summation(given, k) *
                   (std::abs(x) +
                    std::sqrt(k) *
                        std::abs(scaleOf(form, problem, place, isTransposed)));
    // gelu is the approximation by tanh.
    if (isD && form.activation > Activation::relu)
      tolerance += 1e-3 + 1e-3 * std::abs(x);
    const ElementType type = given.types.d;
    value = std::clamp(value, smallest(type), largest(type));
    return {value, tolerance * scale + smallestRounding(type) +
                       1.01 * rounding(type) * std::abs(value)};
  }

  /// Against D, which is checked by itself.
  void checkAmax(const HostTensor &amax, const HostTensor &d) {
    const double scale = given.form.scale_d ? problem.scalar("scale_d") : 1;
    double most = problem["Amax"](0);
    harness::forEachCoordinate(d.shape(), [&](Coordinate at) {
      most = std::max(most, std::abs(d(at)) / scale);
    });
    const double found = std::min(amax(0), largest(d.type()) / scale);
    EXPECT_NEAR(found, most,
                1.01 * rounding(d.type()) * std::abs(most) +
                    smallestRounding(d.type()) / scale);
  }

  const GemmCase &given;
  Module module;
  Problem problem;
};

} // namespace

void expectRight(const GemmCase &given, Artifact compiled) {
  Run(given, std::move(compiled)).check();
}

std::string GemmCase::str() const {
  std::string text =
      std::string(name(types.a)) + " times " + std::string(name(types.b)) +
      " to " + std::string(name(types.d)) +
      (types.accumulation == Accumulation::full ? " in full" : " fast") + ", " +
      types.layout.str() + ", " + config.str();
  for (const NamedSize &size : sizes)
    text += ", " + size.name + "=" + std::to_string(size.value);
  const std::pair<bool, const char *> parts[] = {
      {form.row_zeros, "row_zeros"},
      {form.column_zeros, "column_zeros"},
      {form.row_scales, "row_scales"},
      {form.column_scales, "column_scales"},
      {form.alpha, "alpha"},
      {form.c, "c"},
      {form.bias, "bias"},
      {form.auxiliary, "auxiliary"},
      {form.activation == Activation::relu, "relu"},
      {form.activation == Activation::gelu, "gelu"},
      {form.activation == Activation::silu, "silu"},
      {form.amax, "amax"},
      {form.scale_d, "scale_d"}};
  for (auto [has, part] : parts)
    if (has)
      text += std::string(", ") + part;
  return text;
}

} // namespace ashlar::test
