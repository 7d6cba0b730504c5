// The library's attention against double, over forms, head dimensions and
// lengths that divide nothing: by name, and drawn at random.

#include "kernels/AttentionResources.h"
#include "test/kernels/AttentionCases.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ashlar::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What O and L must be, of all rows.
struct Reference {
  std::vector<double> o, l;
};

/// So many rows of so many elements.
std::vector<double>
matrix(int64_t rows, int64_t columns,
       const std::function<double(int64_t, int64_t)> &element) {
  std::vector<double> all;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t e = 0; e < columns; ++e)
      all.push_back(element(i, e));
  return all;
}

/// The scores of a row, given the keys of its head; minus infinity of keys that
/// it does not see.
std::vector<double> scoresOf(const AttentionCase &tested, const Problem &p,
                             const std::vector<double> &k, int64_t b, int64_t h,
                             int64_t i) {
  const AttentionForm &form = tested.form;
  const AttentionLengths &n = tested.lengths;
  const AttentionLayout at{form, n};
  const std::vector<double> q =
      matrix(1, form.d, [&, &all = p["Q"]](int64_t, int64_t e) {
        return at.query(all, b, h, i, e);
      });
  const int64_t keys = at.keys(b), place = i + keys - at.queries(b);
  std::vector<double> scores(keys, -infinity);
  for (int64_t j = 0; j < keys; ++j) {
    if ((form.after && j > place + *form.after) ||
        (form.before && j < place - *form.before) ||
        (tested.masks && (place - j) % 2 != 0 && i != j))
      continue;
    double score = 0;
    for (int64_t e = 0; e < form.d; ++e)
      score += q[e] * k[j * form.d + e];
    score *= p.scalar("scale");
    if (form.soft_cap)
      score = p.scalar("cap") * std::tanh(score / p.scalar("cap"));
    if (form.alibi)
      score -= at.ofHead(p["Slope"], h) * double(std::abs(place - j));
    if (tested.modifies && h % 2 == 1 && j < keysHiddenByScores)
      continue;
    if (tested.modifies)
      score += 0.01 * double(j) - 0.5 * double(h) + 0.25 * double(b);
    scores[j] = score;
  }
  return scores;
}

Reference referenceOf(const AttentionCase &tested, const Problem &p) {
  const AttentionLengths &n = tested.lengths;
  const AttentionLayout at{tested.form, n};
  const int64_t dv = tested.form.dv;
  Reference result;
  for (int64_t b = 0; b < n.b; ++b)
    for (int64_t h = 0; h < n.h; ++h) {
      const int64_t g = h / at.shared();
      auto k = matrix(at.keys(b), tested.form.d,
                      [&, &all = p["K"]](int64_t j, int64_t e) {
                        return at.key(all, b, g, j, e);
                      });
      auto v = matrix(
          at.keys(b), dv,
          [&, &all = p[tested.form.latent ? "K" : "V"]](int64_t j, int64_t e) {
            return at.value(all, b, g, j, e);
          });
      for (int64_t i = 0; i < at.queries(b); ++i) {
        std::vector<double> scores = scoresOf(tested, p, k, b, h, i);
        const double sink =
            tested.form.sinks ? at.ofHead(p["Sink"], h) : -infinity;
        double top = sink, sum = 0;
        for (double score : scores)
          top = std::max(top, score);
        std::vector<double> o(dv, 0);
        if (top != -infinity) {
          sum = std::exp(sink - top);
          for (double score : scores)
            sum += std::exp(score - top);
          for (int64_t j = 0; j < at.keys(b); ++j)
            if (const double weight = std::exp(scores[j] - top) / sum)
              for (int64_t e = 0; e < dv; ++e)
                o[e] += weight * v[j * dv + e];
          if (tested.form.type == e4m3)
            for (double &each : o)
              each *= p.scalar("value_scale");
        }
        const int64_t row = at.row(b, h, i), rowOfO = at.rowOfO(b, h, i);
        result.o.resize(std::max<size_t>(result.o.size(), (rowOfO + 1) * dv));
        result.l.resize(std::max<size_t>(result.l.size(), row + 1));
        std::ranges::copy(o, result.o.begin() + rowOfO * dv);
        result.l[row] = top == -infinity ? top : top + std::log(sum);
      }
    }
  return result;
}

/// Weights and results are rounded to the type. A weight of e4m3 has three bits
/// behind its first: it is wrong by up to 1/16, some 0.026 in the mean, and so
/// are sums of many values of either sign; of one key and a sink some 0.033.
double toleranceOf(const AttentionForm &form) {
  return form.type == e4m3 ? 4e-2 : form.type == f16 ? 1e-3 : 6e-3;
}

void compare(const AttentionCase &tested, const Reference &expected,
             const std::vector<HostTensor> &results) {
  for (const HostTensor &result : results) {
    if (result.name() != "O" && result.name() != "L")
      for (int64_t i = 0; i < result.elements(); ++i)
        ASSERT_EQ(result.read(i), 0)
            << result.name() << " is left as it was, at " << i;
    if (result.name() != "O" && result.name() != "L")
      continue;
    const bool isO = result.name() == "O";
    const std::vector<double> &of = isO ? expected.o : expected.l;
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < int64_t(of.size()); ++i) {
      const double value = result.read(i);
      ASSERT_FALSE(std::isnan(value)) << result.name() << " at " << i;
      if (std::isinf(of[i])) {
        ASSERT_EQ(value, of[i]) << result.name() << " at " << i;
        continue;
      }
      if (of[i] == 0)
        ASSERT_EQ(value, 0) << result.name() << " at " << i;
      difference += std::pow(value - of[i], 2);
      norm += of[i] * of[i];
    }
    EXPECT_LE(std::sqrt(difference),
              (isO ? toleranceOf(tested.form) : 1e-3) * std::sqrt(norm))
        << result.name();
  }
}

void isRight(AttentionCase tested) {
  AttentionForm &form = tested.form;
  SCOPED_TRACE(describe(tested));
  form.logarithms = true;
  addAuthors(tested);
  const AttentionLengths &n = tested.lengths;
  std::optional<Artifact> artifact;
  ASSERT_NO_THROW(artifact = compileCleanly(attention(form, tested.config)));
  Module module(device(), *artifact);
  std::vector<NamedScalar> scalars = {{"scale", 0.11}};
  if (form.soft_cap)
    scalars.push_back({"cap", 1.5});
  if (form.type == e4m3)
    scalars.push_back({"value_scale", 0.7});
  const AttentionLayout layout{form, n};
  std::vector<NamedSize> sizes = layout.sizes();
  std::vector<Input> inputs = layout.inputs();
  std::vector<std::string> zeros;
  if (tested.config.dynamic)
    zeros = {"Next"};
  if (tested.splits) {
    const PartSizes parts = part_sizes(
        form, tested.config, {n.b, n.h, n.hk, layout.mostQueries(), n.sk});
    sizes.insert(sizes.end(), {{"Splits", tested.splits},
                               {"Tiles", parts.tiles},
                               {"Rows", parts.rows}});
    zeros = {"Done", "Parts", "PartL"};
  }
  Problem problem =
      randomProblem(module.artifact(), sizes, scalars, zeros, inputs);
  compare(tested, referenceOf(tested, problem), launchForAll(module, problem));
}

/// Chosen for small problems, and right.
void isRightAsChosen(AttentionCase tested) {
  choose(tested, sizesOf(tested.form, tested.lengths));
  isRight(tested);
}

/// With as many stages of keys as there is room for.
AttentionCase withMostStages(AttentionCase tested) {
  tested.config.stages = mostStages(tested.form, tested.config);
  return tested;
}

/// Every query sees a prefix, whose length each sequence has.
void hasPrefixes() {
  std::optional<Tensor> prefixes;
  AttentionForm form{.d = 64, .dv = 64};
  form.declare = [&] {
    prefixes.emplace(input("Prefix", s32, {size("Prefixes")}, align(4)));
  };
  form.mask = [&](const ScorePlace &place) {
    return place.key <= place.query ||
           place.key < load_index(prefixes->at({place.batch}));
  };
  Module module(device(), compileCleanly(attention(form, {.bn = 64})));
  constexpr int64_t rows = 100, keys = 130;
  Problem problem = randomProblem(
      module.artifact(),
      {{"B", 2},
       {"H", 1},
       {"Hk", 1},
       {"Sq", rows},
       {"Sk", keys},
       {"Prefixes", 2}},
      {{"scale", 0.1}}, {}, {{"Prefix", [](const Problem &, Coordinate at) {
                                return at[0] ? 100.0 : 35.0;
                              }}});
  auto expected = [&](Coordinate at) {
    double sum = 0, result = 0;
    for (int64_t j = 0; j < keys; ++j) {
      if (j > at[2] + keys - rows && j >= problem["Prefix"](at[0]))
        continue;
      double score = 0;
      for (int64_t e = 0; e < 64; ++e)
        score +=
            problem["Q"](at[0], 0, at[2], e) * problem["K"](at[0], 0, j, e);
      const double weight = std::exp(score * problem.scalar("scale"));
      sum += weight;
      result += weight * problem["V"](at[0], 0, j, at[3]);
    }
    return result / sum;
  };
  EXPECT_LE(relativeError(launch(module, problem, "O"), expected), 6e-3);
}

/// Scores of -1e10 hide keys beside others, and are as any others alone.
TEST(AttentionScores, MayBeFarFromZero) {
  for (int64_t hidden : {100, 200}) {
    AttentionForm form{.d = 64, .dv = 64};
    form.logarithms = true;
    form.modify = [=](const Fragment &score, const ScorePlace &place) {
      return select(place.key < hidden, -1e10f, score);
    };
    Module module(
        device(),
        compileCleanly(attention(
            form, {.bm = 64, .bn = 64, .stages = 4, .warpgroups = 1})));
    auto ones = [](const Problem &, Coordinate) { return 1.; };
    auto first = [](const Problem &, Coordinate at) {
      return at[2] < 100 ? 1. : 2.;
    };
    const Problem problem = randomProblem(
        module.artifact(),
        {{"B", 1}, {"H", 1}, {"Hk", 1}, {"Sq", 130}, {"Sk", 200}},
        {{"scale", 0.125}}, {}, {{"Q", ones}, {"K", ones}, {"V", first}});
    const HostTensor o = launch(module, problem, "O");
    for (int64_t i = 0; i < o.elements(); ++i)
      ASSERT_EQ(o.read(i), hidden == 100 ? 2 : 1.5) << i;
  }
}

/// Of keys whose scores rise, by less than the maximum may lag behind from
/// block to block or by more, in some rows, or fall.
TEST(AttentionScores, MayRiseFromBlockToBlock) {
  const AttentionConfig halves{
      .bm = 64, .bn = 64, .warpgroups = 2, .apart = true};
  struct Kernel {
    int64_t d, threshold;
    AttentionConfig config;
    ElementType type = bf16;
    bool modifies = false;
  };
  for (const auto &[d, threshold, config, type, modifies] :
       {Kernel{128, 0, {.bn = 64}}, Kernel{128, 8, {.bn = 64}},
        Kernel{128, 8, {.bn = 64}, f16}, Kernel{128, 8, {.bn = 32}, f16, true},
        Kernel{256, 8, {.bn = 48, .eager = true}}, Kernel{256, 3, halves}}) {
    AttentionForm form{.type = type, .d = d, .dv = d};
    if (modifies)
      form.modify = [](const Fragment &score, const ScorePlace &) {
        return score;
      };
    form.logarithms = true;
    form.rescale_threshold = threshold;
    AttentionConfig fitting = config;
    fitting.stages = std::min<int64_t>(mostStages(form, config), 6);
    SCOPED_TRACE(testing::Message()
                 << name(type) << " d " << d << " threshold " << threshold
                 << " eager " << config.eager << " apart " << config.apart
                 << " modifies " << modifies);
    Module module(device(), compileCleanly(attention(form, fitting)));
    constexpr int64_t rows = 70, keys = 400;
    constexpr double rises[] = {0.25, 1, 4, -1};
    auto first = [](auto of) {
      return [of](const Problem &, Coordinate at) {
        return at[3] == 0 ? of(at)
                          : std::sin(double(at[1] * 7919 + at[2] * 104729 +
                                            at[3] * 1299709)) /
                                8;
      };
    };
    Problem problem = randomProblem(
        module.artifact(),
        {{"B", 1}, {"H", 4}, {"Hk", 4}, {"Sq", rows}, {"Sk", keys}},
        {{"scale", 0.125}}, {},
        {{"Q", first([](Coordinate at) { return at[2] % 3 ? 1. : 0.25; })},
         {"K", first([&](Coordinate at) {
            return rises[at[1]] * double(at[2] / 8 * 8);
          })}});
    std::vector<double> tops(4 * rows), sums(4 * rows);
    auto scoreOf = [&](int64_t h, int64_t i, int64_t j) {
      double score = 0;
      for (int64_t e = 0; e < d; ++e)
        score += problem["Q"](0, h, i, e) * problem["K"](0, h, j, e);
      return score * 0.125;
    };
    std::vector<double> scores(4 * rows * keys);
    for (int64_t row = 0; row < 4 * rows; ++row) {
      tops[row] = -infinity;
      for (int64_t j = 0; j < keys; ++j)
        tops[row] = std::max(tops[row], scores[row * keys + j] =
                                            scoreOf(row / rows, row % rows, j));
      for (int64_t j = 0; j < keys; ++j)
        sums[row] += std::exp(scores[row * keys + j] - tops[row]);
    }
    auto expected = [&](Coordinate at) {
      const int64_t row = at[1] * rows + at[2];
      double result = 0;
      for (int64_t j = 0; j < keys; ++j)
        result += std::exp(scores[row * keys + j] - tops[row]) *
                  problem["V"](0, at[1], j, at[3]);
      return result / sums[row];
    };
    for (const HostTensor &result : launchForAll(module, problem)) {
      if (result.name() == "O")
        EXPECT_LE(relativeError(result, expected), 6e-3);
      if (result.name() == "L")
        for (int64_t row = 0; row < 4 * rows; ++row)
          EXPECT_NEAR(result.read(row), tops[row] + std::log(sums[row]), 1e-2)
              << row;
    }
  }
}

/// For the same Splits, bit for bit.
TEST(AttentionParts, DoNotDependOnTheRestOfTheBatch) {
  const AttentionForm form{.d = 64, .dv = 64, .group = 4};
  const AttentionConfig config{
      .bm = 64, .bn = 64, .warpgroups = 1, .splits = true};
  Module module(device(), compileCleanly(attention(form, config)));
  auto element = [](const Problem &, Coordinate at) {
    return std::sin(double(1 + at[1] * 7919 + at[2] * 104729 + at[3] * 1299709 +
                           (at.size() > 4 ? at[4] * 15485863 : 0)));
  };
  auto resultOf = [&](int64_t batch, int64_t splits, int64_t keys) {
    const PartSizes parts = part_sizes(form, config, {batch, 8, 2, 3, keys});
    return launch(
        module,
        randomProblem(module.artifact(),
                      {{"B", batch},
                       {"Hk", 2},
                       {"G", 4},
                       {"Sq", 3},
                       {"Sk", keys},
                       {"Splits", splits},
                       {"Tiles", parts.tiles},
                       {"Rows", parts.rows}},
                      {{"scale", 0.2}}, {"Done", "Parts", "PartL"},
                      {{"Q", element}, {"K", element}, {"V", element}}),
        "O");
  };
  auto compare = [&](int64_t splits, int64_t keys,
                     std::initializer_list<int64_t> batches) {
    const HostTensor alone = resultOf(1, splits, keys);
    for (int64_t batch : batches) {
      const HostTensor among = resultOf(batch, splits, keys);
      for (int64_t i = 0; i < among.elements(); ++i)
        ASSERT_EQ(among.read(i), alone.read(i % alone.elements())) << i;
    }
  };
  // Of 50 sequences, or 5 in 20 parts, there are more parts than CTAs: one of a
  // tile adds up, all rows and a few parts at a time.
  compare(3, 500, {5, 50});
  compare(20, 1280, {2, 5});
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  registerTest("Attention", "prefixes of a launch", hasPrefixes);
  for (const AttentionCase &tested : namedAttentionCases())
    registerTest("Attention", tested.name, [tested] { isRight(tested); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 100 : 300); ++seed)
    registerTest("RandomAttention", "seed " + std::to_string(seed),
                 [seed] { isRight(drawnAttention(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 60 : 300); ++seed)
    if (const AttentionCase tested = withMostStages(drawnAttention(seed));
        replacesQuery(tested.form, tested.config))
      registerTest("RandomAttention",
                   "O in place of Q, seed " + std::to_string(seed),
                   [tested] { isRight(tested); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 8 : 100); ++seed)
    registerTest("RandomAttention", "latent, seed " + std::to_string(seed),
                 [seed] { isRight(drawnLatentAttention(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 10 : 100); ++seed)
    registerTest("ChosenAttention", "seed " + std::to_string(seed),
                 [seed] { isRightAsChosen(drawnAttention(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 10 : 100); ++seed)
    registerTest("ChosenAttention", "any heads, seed " + std::to_string(seed),
                 [seed] {
                   isRightAsChosen(withDrawnHeads(drawnAttention(seed), seed));
                 });
  for (uint64_t seed = 0; seed < (isSimulated() ? 2 : 50); ++seed)
    registerTest("ChosenAttention", "latent, seed " + std::to_string(seed),
                 [seed] { isRightAsChosen(drawnLatentAttention(seed)); });
});

} // namespace
} // namespace ashlar::test
