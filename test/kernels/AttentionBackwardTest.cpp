// The gradients of the library's attention against double, over forms, head
// dimensions and lengths that divide nothing: by name, and drawn at random.

#include "ashlar/attention.h"
#include "runtime/sim/driver/SimulatorDriver.h"
#include "test/kernels/AttentionBackwardCases.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/Elements.h"
#include "tool/MakeProblem.h"

#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <utility>

namespace ashlar::test {
namespace {

constexpr double scale = 0.11;

/// Rows of Q or of K, of as many elements each, of all heads: what a launch
/// takes, or what it must give. Packed tensors have some rows behind the last
/// sequence.
class Matrices {
public:
  enum Of { queries, keys };

  Matrices(const AttentionBackwardCase &tested, Of of, int64_t width)
      : layout{tested.form, tested.lengths}, of(of), width(width),
        elements(size_t((of == queries ? layout.n.h : layout.n.hk) *
                        rowsOfHead() * width)) {}

  /// The row, and behind it the others of its sequence.
  double *row(int64_t b, int64_t h, int64_t i) {
    return elements.data() + number(b, h, i) * width;
  }

  /// Normal numbers that the type has.
  void fillAtRandom(ElementType type, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (double &element : elements)
      element = harness::rounded(type, normal(random));
  }

  /// NaN behind the last sequence.
  Input input(const char *name) const {
    return {name, [this](const Problem &, Coordinate at) {
              return isBehind(at) ? std::numeric_limits<double>::quiet_NaN()
                                  : elements[size_t(number(at))];
            }};
  }

  /// ‖result - this‖ / ‖this‖, or over the terms of its sums where these cancel
  /// out: their rounding does not.
  double errorOf(const HostTensor &result) const {
    double difference = 0, norm = 0;
    harness::forEachCoordinate(result.shape(), [&](Coordinate at) {
      if (isBehind(at))
        return;
      const double truth = elements[size_t(number(at))];
      difference += std::pow(result(at) - truth, 2);
      norm += std::pow(truth, 2);
    });
    norm = std::max(norm, squaresOfTerms);
    return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
  }

  /// Each is a factor of an element.
  void addTerms(double factor, const double *row) {
    for (int64_t e = 0; e < width; ++e)
      squaresOfTerms += std::pow(factor * row[e], 2);
  }

  /// Whether what lies behind the last sequence has been written.
  bool writesBehind(const HostTensor &result) const {
    bool writes = false;
    harness::forEachCoordinate(result.shape(), [&](Coordinate at) {
      writes |= isBehind(at) && !std::isnan(result(at));
    });
    return writes;
  }

private:
  int64_t first(int64_t b) const {
    return of == queries ? layout.firstRow(b) : layout.firstKey(b);
  }
  /// Of all sequences.
  int64_t rowsOfHead() const {
    return layout.form.packed ? first(layout.n.b)
                              : layout.n.b * rowsOfSequence();
  }
  int64_t rowsOfSequence() const {
    return of == queries ? layout.n.sq : layout.n.sk;
  }
  int64_t number(int64_t b, int64_t h, int64_t i) const {
    return h * rowsOfHead() +
           (layout.form.packed ? first(b) : b * rowsOfSequence()) + i;
  }
  int64_t number(Coordinate at) const {
    const bool isPacked = layout.form.packed;
    const size_t e = isPacked ? 2 : 3;
    return number(isPacked ? 0 : at[0], at[e - 2], at[e - 1]) * width +
           (at.size() > e ? at[e] : 0);
  }
  bool isBehind(Coordinate at) const {
    return layout.form.packed && at[1] >= rowsOfHead();
  }

  const AttentionLayout layout;
  const Of of;
  const int64_t width;
  std::vector<double> elements;
  double squaresOfTerms = 0;
};

/// A problem, and what the gradients must be.
struct Reference {
  explicit Reference(const AttentionBackwardCase &tested)
      : tested(tested), q(queries(tested.form.d)), k(keys(tested.form.d)),
        v(keys(tested.form.dv)), o(queries(tested.form.dv)),
        gradient(queries(tested.form.dv)), l(queries(1)), dq(q), dk(k), dv(v) {
    const ElementType type = tested.form.type;
    q.fillAtRandom(type, 1);
    k.fillAtRandom(type, 2);
    v.fillAtRandom(type, 3);
    gradient.fillAtRandom(type, 4);
    const AttentionLayout at{tested.form, tested.lengths};
    for (int64_t b = 0; b < tested.lengths.b; ++b)
      for (int64_t h = 0; h < tested.lengths.h; ++h)
        for (int64_t i = 0; i < at.queries(b); ++i)
          addRow(b, h, i, at.keys(b), i + at.keys(b) - at.queries(b));
  }

  const AttentionBackwardCase &tested;
  Matrices q, k, v, o, gradient, l, dq, dk, dv;

private:
  Matrices queries(int64_t width) const {
    return {tested, Matrices::queries, width};
  }
  Matrices keys(int64_t width) const { return {tested, Matrices::keys, width}; }

  void addRow(int64_t b, int64_t h, int64_t i, int64_t count, int64_t place) {
    const AttentionForm &form = tested.form;
    const int64_t g = h / (tested.lengths.h / tested.lengths.hk);
    const int64_t low =
        form.before ? std::max<int64_t>(place - *form.before, 0) : 0;
    const int64_t high =
        form.after ? std::min(count, place + *form.after + 1) : count;
    const double *const qRow = q.row(b, h, i), *const k0 = k.row(b, g, 0);
    std::vector<double> weight(size_t(std::max(high, int64_t(0))), 0);
    double sum = form.sinks ? std::exp(0.5 * double(h + 1)) : 0;
    for (int64_t j = low; j < high; ++j) {
      double score = 0;
      for (int64_t e = 0; e < form.d; ++e)
        score += qRow[e] * k0[j * form.d + e];
      sum += weight[size_t(j)] = std::exp(score * scale);
    }
    *l.row(b, h, i) = std::log(sum);
    const double *const gradientRow = gradient.row(b, h, i);
    const double *const v0 = v.row(b, g, 0);
    double *const oRow = o.row(b, h, i), *const dv0 = dv.row(b, g, 0);
    double delta = 0;
    std::vector<double> slope(weight.size(), 0);
    for (int64_t j = low; j < high; ++j) {
      double &w = weight[size_t(j)], &s = slope[size_t(j)];
      w /= sum;
      for (int64_t e = 0; e < form.dv; ++e) {
        oRow[e] += w * v0[j * form.dv + e];
        s += gradientRow[e] * v0[j * form.dv + e];
        dv0[j * form.dv + e] += w * gradientRow[e];
      }
      delta += w * s;
    }
    double *const dqRow = dq.row(b, h, i), *const dk0 = dk.row(b, g, 0);
    for (int64_t j = low; j < high; ++j) {
      const double s = weight[size_t(j)] * (slope[size_t(j)] - delta) * scale;
      for (int64_t e = 0; e < form.d; ++e) {
        dqRow[e] += s * k0[j * form.d + e];
        dk0[j * form.d + e] += s * qRow[e];
      }
      const double terms = weight[size_t(j)] *
                           (std::abs(slope[size_t(j)]) + std::abs(delta)) *
                           scale;
      dq.addTerms(terms, k0 + j * form.d);
      dk.addTerms(terms, qRow);
    }
  }
};

/// What a launch of a kernel writes, by name, given these inputs.
std::map<std::string, HostTensor> launchOf(const AttentionBackwardCase &tested,
                                           const Kernel &kernel,
                                           const std::vector<Input> &inputs,
                                           uint64_t seed) {
  constexpr int64_t rowsBehind = 9;
  Module module(device(), compileCleanly(kernel));
  const AttentionLayout layout{tested.form, tested.lengths};
  std::vector<NamedSize> sizes = layout.sizes();
  if (tested.form.packed) {
    int64_t most = 0;
    for (auto [queries, keys] : tested.lengths.sequences)
      most = std::max(most, keys);
    sizes.push_back({"Sk", most});
    sizes.push_back({"Tq", layout.firstRow(layout.n.b) + rowsBehind});
    sizes.push_back({"Tk", layout.firstKey(layout.n.b) + rowsBehind});
  }
  const int64_t rows = std::ranges::find(sizes, "Sq", &NamedSize::name)->value;
  sizes.push_back(
      {"Turns", (rows / tested.config.bm + 2) * tested.config.cluster});
  const Artifact &artifact = module.artifact();
  std::erase_if(sizes, [&](const NamedSize &size) {
    return std::ranges::find(artifact.sizes, size.name) == artifact.sizes.end();
  });
  std::vector<NamedScalar> scalars;
  if (!artifact.scalars.empty())
    scalars.push_back({"scale", scale});
  std::vector<std::string> zeros;
  for (const TensorContract &tensor : artifact.tensors)
    if (tensor.name == "Order" || tensor.name == "Next")
      zeros.push_back(tensor.name);
  const uint64_t usual = std::exchange(sim::settings().seed, seed);
  std::map<std::string, HostTensor> results;
  for (HostTensor &result : launchForAll(
           module, randomProblem(artifact, sizes, scalars, zeros, inputs)))
    results.emplace(result.name(), std::move(result));
  sim::settings().seed = usual;
  return results;
}

Input inputOf(const HostTensor &result) {
  return {result.name(),
          [&result](const Problem &, Coordinate at) { return result(at); }};
}

void isRight(const AttentionBackwardCase &tested, uint64_t seed = 0) {
  SCOPED_TRACE(describe(tested));
  Reference reference(tested);
  auto before =
      launchOf(tested, attention_delta(tested.form),
               {reference.o.input("O"), reference.gradient.input("DO")}, seed);
  std::vector<Input> inputs =
      AttentionLayout{tested.form, tested.lengths}.inputs();
  for (Input input :
       {reference.q.input("Q"), reference.k.input("K"), reference.v.input("V"),
        reference.gradient.input("DO"), reference.l.input("L"),
        inputOf(before.at("Delta")), inputOf(before.at("Sums"))})
    inputs.push_back(input);
  auto results = launchOf(
      tested, attention_backward(tested.form, tested.config), inputs, seed);
  auto behind = launchOf(tested, attention_query_gradient(tested.form),
                         {inputOf(results.at("Sums"))}, seed);
  // Weights, their gradients and results are rounded to the type.
  const double tolerance = tested.form.type == f16 ? 2e-3 : 1e-2;
  EXPECT_LE(reference.dq.errorOf(behind.at("DQ")), tolerance);
  EXPECT_LE(reference.dk.errorOf(results.at("DK")), tolerance);
  EXPECT_LE(reference.dv.errorOf(results.at("DV")), tolerance);
  EXPECT_FALSE(reference.dk.writesBehind(results.at("DK")));
  EXPECT_FALSE(reference.dv.writesBehind(results.at("DV")));
  for (const char *name : {"Order", "Next"})
    if (auto counts = results.find(name); counts != results.end())
      for (int64_t i = 0; i < counts->second.elements(); ++i)
        EXPECT_EQ(counts->second.read(i), 0) << name;
}

/// What the forward has written is what the gradients take.
void takesWhatTheForwardGives() {
  AttentionBackwardCase tested{
      "", {.d = 64, .dv = 64, .after = 0}, {}, {1, 2, 1, 150, 113}};
  const Reference reference(tested);
  tested.form.logarithms = true;
  auto forward = launchOf(
      tested, attention(tested.form, {.bn = 64}),
      {reference.q.input("Q"), reference.k.input("K"), reference.v.input("V")},
      0);
  auto before =
      launchOf(tested, attention_delta(tested.form),
               {inputOf(forward.at("O")), reference.gradient.input("DO")}, 0);
  auto results = launchOf(
      tested, attention_backward(tested.form, tested.config),
      {reference.q.input("Q"), reference.k.input("K"), reference.v.input("V"),
       reference.gradient.input("DO"), inputOf(forward.at("L")),
       inputOf(before.at("Delta")), inputOf(before.at("Sums"))},
      0);
  EXPECT_LE(reference.dk.errorOf(results.at("DK")), 1e-2);
  EXPECT_LE(reference.dv.errorOf(results.at("DV")), 1e-2);
}

TEST(AttentionBackwardRefuses, WhatItIsNotMadeFor) {
  auto refusal = [](const AttentionForm &form,
                    const AttentionBackwardConfig &config = {}) {
    try {
      compile(attention_backward(form, config));
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal({.type = e4m3}), HasSubstr("use bf16 or f16"));
  EXPECT_THAT(refusal({.page = 64}), HasSubstr("use packed ones"));
  EXPECT_THAT(refusal({.latent = true}), HasSubstr("use a form with a V"));
  EXPECT_THAT(refusal({.soft_cap = true}), HasSubstr("use a form without"));
  EXPECT_THAT(refusal({.group = 8}), HasSubstr("use a form with group = 1"));
  EXPECT_THAT(refusal({.d = 76}), HasSubstr("use 8 columns or a multiple"));
  EXPECT_THAT(refusal({.dv = 44}), HasSubstr("use 8 columns or a multiple"));
  EXPECT_THAT(refusal({.after = std::numeric_limits<int32_t>::max() - 1}),
              HasSubstr("leave after out"));
  EXPECT_THAT(refusal({.alibi = true}),
              HasSubstr("AttentionBackwardTest.cpp:"));
  EXPECT_THAT(refusal({.packed = true}, {.apart = true}),
              HasSubstr("use a form that is not packed"));
  EXPECT_THAT(refusal({}, {.deterministic = true, .dynamic = true}),
              HasSubstr("use either"));
  EXPECT_THAT(refusal({.d = 80}, {.bm = 48, .bn = 64, .apart = true}),
              HasSubstr("use bm = 64"));
  EXPECT_THAT(refusal({.d = 256}, {.bn = 64, .apart = true, .cluster = 2}),
              HasSubstr("use three warpgroups that are apart"));
  EXPECT_THAT(refusal({}, {.cluster = 3}), HasSubstr("1 CTA or of 2"));
  for (int64_t bm : {8, 63, 512})
    EXPECT_THAT(refusal({}, {.bm = bm}),
                HasSubstr("use a multiple of 16 up to 256"));
  EXPECT_THAT(refusal({}, {.bn = 192}), HasSubstr("use a multiple of 128"));
  EXPECT_THAT(refusal({.d = 256}, {.bn = 96, .apart = true}),
              HasSubstr("use a multiple of 64"));
  EXPECT_THAT(refusal({.d = 256},
                      {.bn = 64, .stages = 1, .warpgroups = 3, .apart = true}),
              HasSubstr("stages = 2 at least"));
  AttentionBackwardConfig shared{
      .bm = 48, .bn = 64, .warpgroups = 3, .apart = true, .cluster = 2};
  EXPECT_THAT(refusal({.d = 192}, shared), HasSubstr("a multiple of 128"));
  shared.dynamic = true;
  EXPECT_THAT(refusal({.d = 256}, shared), HasSubstr("not dynamic"));
  EXPECT_THAT(refusal({}, {.warpgroups = 1, .apart = true}),
              HasSubstr("use 2"));
  EXPECT_THAT(refusal({.d = 256, .dv = 256}),
              HasSubstr("use warpgroups that are apart, with bn = 64"));
}

TEST(AttentionBackwardRefuses, HeadsThatAreNotShared) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      launchAndExit(attention_backward({.d = 64, .dv = 64}, {}),
                    {{"B", 1}, {"H", 3}, {"Hk", 2}, {"Sq", 3}, {"Sk", 3}}, {}),
      testing::ExitedWithCode(3), "the heads of Q, is a multiple of Hk");
}

TEST(AttentionBackwardRefuses, AScaleThatIsNotPositive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      launchAndExit(attention_backward({.d = 64, .dv = 64}, {}),
                    {{"B", 1}, {"H", 1}, {"Hk", 1}, {"Sq", 3}, {"Sk", 3}}, {},
                    {}, {{"scale", -1}}),
      testing::ExitedWithCode(3), "scale, of the scores, is positive");
}

/// Whatever the schedule, the same bits.
void isDeterministic(AttentionBackwardCase tested) {
  tested.config.deterministic = true;
  // Put back even if this throws: the sums of other tests have no order.
  struct Seeds {
    const unsigned usual = sim::settings().seeds;
    ~Seeds() { sim::settings().seeds = usual; }
  } seeds;
  sim::settings().seeds = std::max(seeds.usual, 2u);
  isRight(tested);
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  registerTest("AttentionBackward", "what the forward gives",
               takesWhatTheForwardGives);
  for (const AttentionBackwardCase &tested : namedAttentionBackwardCases())
    if (tested.config.bm <= 64 && !tested.config.dynamic)
      registerTest("AttentionBackwardInOrder", tested.name,
                   [tested] { isDeterministic(tested); });
  const AttentionBackwardCase pairs{"more pairs of blocks than CTAs",
                                    {.d = 32, .dv = 32, .after = 0},
                                    {.bn = 64, .warpgroups = 1},
                                    {1, 67, 67, 70, 150}};
  registerTest("AttentionBackwardInOrder", pairs.name,
               [pairs] { isDeterministic(pairs); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 25 : 150); ++seed)
    registerTest("RandomAttentionBackward", "seed " + std::to_string(seed),
                 [seed] { isRight(drawnAttentionBackward(seed), seed); });
  for (const AttentionBackwardCase &tested : namedAttentionBackwardCases())
    registerTest("AttentionBackward", tested.name,
                 [tested] { isRight(tested); });
});

} // namespace
} // namespace ashlar::test
