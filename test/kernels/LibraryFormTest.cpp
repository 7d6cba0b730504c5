// What the library's GEMM computes around its product, in configurations that
// differ in how the tile reaches memory.

#include "ashlar/gemm.h"
#include "test/kernels/Check.h"
#include "test/kernels/Feature.h"
#include "test/kernels/FormReference.h"
#include "test/kernels/Register.h"

#include <algorithm>
#include <cmath>

namespace ashlar::test {
namespace {

/// The product that row m and column n of D are made of.
double product(const Problem &p, Coordinate at) {
  const HostTensor &a = p["A"], &b = p["B"];
  const size_t batch = at.size() - 2;
  double sum = 0;
  for (int64_t k = 0; k < a.shape().back(); ++k)
    sum += batch ? a(at[0], at[1], k) * b(at[0], at[2], k)
                 : a(at[0], k) * b(at[1], k);
  return sum;
}

double largest(const GemmForm &form, const Problem &p) {
  double most = p["Amax"](0);
  for (int64_t m = 0; m < p.size("M"); ++m)
    for (int64_t n = 0; n < p.size("N"); ++n) {
      const int64_t at[] = {m, n};
      most = std::max(most, std::abs(activated(form, p, at, product(p, at))));
    }
  return most;
}

Feature feature(std::string name, const char *config, const GemmForm &form,
                const GemmTypes &types = {}) {
  std::vector<Sizes> problems{{{"M", 1}, {"N", 16}, {"K", 16}},
                              {{"M", 136}, {"N", 200}, {"K", 0}},
                              {{"M", 136}, {"N", 0}, {"K", 16}},
                              {{"M", 136}, {"N", 200}, {"K", 272}},
                              {{"M", 512}, {"N", 768}, {"K", 1024}}};
  for (Sizes &sizes : problems)
    if (form.batched)
      sizes.push_back({"batch", 3});
  if (form.batched)
    problems.push_back({{"M", 136}, {"N", 200}, {"K", 16}, {"batch", 0}});
  return {std::move(name),
          [=] { return gemm(types, GemmConfig::parse(config), form); },
          std::move(problems),
          [form](const Problem &p, Coordinate at) {
            return stored(form, p, at, product(p, at));
          },
          1e-2,
          scalarsOf(form)};
}

GemmForm everything() {
  GemmForm form;
  form.row_scales = form.column_scales = form.alpha = form.c = form.bias = true;
  form.auxiliary = form.amax = form.scale_d = true;
  form.activation = Activation::gelu;
  return form;
}

Feature auxiliary() {
  const GemmForm form = everything();
  Feature made = feature("the second output", "128x64x64 s3 w2 e32x2", form);
  made.output = "Auxiliary";
  made.reference = [form](const Problem &p, Coordinate at) {
    return linear(form, p, at, product(p, at));
  };
  return made;
}

/// Amax keeps what was there if that is more: random inputs are not.
Feature amax(std::string name, const char *config,
             const GemmForm &form = everything(), const GemmTypes &types = {}) {
  Feature made = feature(std::move(name), config, form, types);
  made.output = "Amax";
  made.reference = [form](const Problem &p, Coordinate) {
    return largest(form, p);
  };
  return made;
}

/// Products are a hundred times as large as what zero points leave of them.
Feature amaxOfIntegers(std::string name, const char *config) {
  GemmForm form;
  form.row_zeros = form.column_zeros = form.amax = true;
  Feature made = amax(std::move(name), config, form, {u8, s8, f32});
  auto all = [](double value) {
    return [value](const Problem &, Coordinate) { return value; };
  };
  made.inputs = {
      {"A", all(100)},
      {"B", all(100)},
      {"RowZero", all(99)},
      {"ColumnSum",
       [](const Problem &p, Coordinate) { return 100. * double(p.size("K")); }},
      {"ColumnZero", all(0)},
      {"RowSum", all(0)},
      {"Amax", all(1)}};
  return made;
}

/// With sums that are those of A and of B the product is that of what A and B
/// stand for.
void subtractsZeroPoints(const GemmTypes &types, const char *config) {
  GemmForm form;
  form.row_zeros = form.column_zeros = true;
  Module module(device(),
                compileCleanly(gemm(types, GemmConfig::parse(config), form)));
  Problem p =
      randomProblem(module.artifact(), {{"M", 131}, {"N", 72}, {"K", 333}});
  auto write = [&](std::string_view name, auto element) {
    HostTensor &tensor = *std::ranges::find(p.tensors, name, &HostTensor::name);
    for (int64_t i = 0; i < tensor.shape()[0]; ++i)
      tensor.write(i, element(i));
  };
  auto zeroA = [](int64_t m) { return 128.0 - double(m % 5); };
  auto zeroB = [](int64_t n) { return double(n % 7) - 3; };
  auto sumOf = [&](const HostTensor &of, int64_t row) {
    double sum = 0;
    for (int64_t k = 0; k < p.size("K"); ++k)
      sum += of(row, k);
    return sum;
  };
  write("RowZero", zeroA);
  write("ColumnZero", zeroB);
  write("ColumnSum", [&](int64_t n) { return sumOf(p["B"], n); });
  write("RowSum", [&](int64_t m) {
    return sumOf(p["A"], m) - zeroA(m) * double(p.size("K"));
  });
  const HostTensor d = launch(module, p);
  int64_t wrong = 0;
  for (int64_t m = 0; m < p.size("M"); ++m)
    for (int64_t n = 0; n < p.size("N"); ++n) {
      double sum = 0;
      for (int64_t k = 0; k < p.size("K"); ++k)
        sum += (p["A"](m, k) - zeroA(m)) * (p["B"](n, k) - zeroB(n));
      wrong += d(m, n) != sum;
    }
  EXPECT_EQ(wrong, 0);
}

[[maybe_unused]] const bool registeredZeros = [] {
  for (const char *config :
       {"64x64x128 s3 w2 e32x1 pingpong", "128x64x128 s3 w2 k2 e32x1",
        "64x32x128 s4 w1 e16x2 swapped"})
    registerTest("LibraryFormZeroPoints", config,
                 [config] { subtractsZeroPoints({u8, s8, s32}, config); });
  return true;
}();

/// Bytes are packed from all rows of a strip.
TEST(LibraryForm, HasRegistersForBytesBesideLoaders) {
  GemmForm form;
  form.c = form.column_scales = true;
  form.activation = Activation::gelu;
  const GemmTypes types{u8, s8, u8, Accumulation::full,
                        GemmLayout::parse("TN:16,4,1")};
  const auto config = GemmConfig::parse("64x240x128 s5 w1 e16x2 l8 swapped");
  EXPECT_NO_THROW(compileCleanly(gemm(types, config, form)));
}

[[maybe_unused]] const bool registered = registerFeatures([] {
  GemmForm scaled;
  scaled.row_scales = scaled.column_scales = true;
  GemmForm batched;
  batched.batched = batched.bias = true;
  batched.activation = Activation::silu;
  GemmForm biased;
  biased.bias = true;
  GemmForm quantised = everything();
  quantised.row_zeros = quantised.column_zeros = true;
  const GemmTypes full{e4m3, e4m3, bf16, Accumulation::full};
  return std::vector<Feature>{
      feature("everything around a product", "128x64x64 s3 w2 e32x2",
              everything()),
      feature("everything around a product, in ping pong",
              "64x64x64 s3 w2 e32x1 pingpong", everything()),
      feature("everything around a product, staged in the ring",
              "128x72x64 s3 w2 e32x0", everything()),
      auxiliary(),
      amax("the largest magnitude", "64x64x64 s3 w1 e32x2"),
      amax("the largest magnitude of transposed tiles",
           "64x32x64 s3 w1 e16x2 swapped"),
      amaxOfIntegers(
          "the largest magnitude where tiles have other rows outside",
          "128x64x128 s3 w2 e32x1 edge-parts"),
      feature("a batch with edges in parts", "128x64x64 s3 w2 e64x1 edge-parts",
              batched),
      feature("a batch with edges in parts, many sums and few registers beside",
              "256x184x64 s3 w2 c1x2 e8x1 edge-parts", batched),
      feature("everything around a product of transposed tiles",
              "64x32x64 s3 w1 e16x2 swapped", everything()),
      feature("a batch", "128x64x64 s3 w2 e64x1", batched),
      feature("a batch in ping pong over a cluster",
              "64x64x64 s3 w2 c2x1 e64x1 pingpong", batched),
      feature("a batch in ping pong, staged in the ring",
              "64x80x64 s3 w2 c2x1 e64x0 pingpong", batched),
      feature("bias after a sum over a cluster", "64x64x64 s3 w1 k2 e32x1",
              biased),
      feature("a batch with split K over a cluster", "64x64x64 s3 w1 k4 e16x1",
              batched),
      feature("fp8 with scales of rows and columns", "128x64x128 s3 w2 e64x1",
              scaled, full),
      feature("integers with zero points and all else",
              "128x64x128 s3 w2 e16x1", quantised, {u8, s8, bf16}),
  };
}());

} // namespace
} // namespace ashlar::test
