// The library's attention against double, over forms, head dimensions and
// lengths that divide nothing: by name, and drawn at random.

#include "ashlar/attention.h"
#include "test/kernels/AttentionLayout.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"
#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

namespace ashlar::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A form, and the author's functions by number: none, a score that falls with
/// the distance, keys of the same parity alone.
struct Case {
  std::string name;
  AttentionForm form;
  AttentionConfig config;
  AttentionLengths lengths;
  bool modifies = false, masks = false;
};

std::string describe(const Case &tested) {
  const AttentionForm &form = tested.form;
  std::ostringstream text;
  text << name(form.type) << " d " << form.d << " dv " << form.dv;
  if (form.before)
    text << " before " << *form.before;
  if (form.after)
    text << " after " << *form.after;
  text << (form.soft_cap ? " capped" : "") << (form.alibi ? " slopes" : "")
       << (form.sinks ? " sinks" : "") << (form.packed ? " packed" : "")
       << (form.page ? " pages of " + std::to_string(*form.page) : "")
       << (tested.modifies ? " author's scores" : "")
       << (tested.masks ? " author's mask" : "") << ", " << tested.config.bm
       << "x" << tested.config.bn;
  const AttentionLengths &n = tested.lengths;
  text << " in " << tested.config.splits << " parts, B " << n.b << " H " << n.h
       << " Hk " << n.hk << " Sq " << n.sq << " Sk " << n.sk;
  return text.str();
}

/// What O and L must be, of all rows.
struct Reference {
  std::vector<double> o, l;
};

/// The scores of a row; minus infinity of keys that it does not see.
std::vector<double> scoresOf(const Case &tested, const Problem &p, int64_t b,
                             int64_t h, int64_t i) {
  const AttentionForm &form = tested.form;
  const AttentionLengths &n = tested.lengths;
  const AttentionLayout at{form, n};
  const HostTensor &q = p["Q"], &k = p["K"];
  const int64_t keys = at.keys(b), place = i + keys - at.queries(b);
  const int64_t g = h / (n.h / n.hk);
  std::vector<double> scores(keys, -infinity);
  for (int64_t j = 0; j < keys; ++j) {
    if ((form.after && j > place + *form.after) ||
        (form.before && j < place - *form.before) ||
        (tested.masks && (place - j) % 2 != 0))
      continue;
    double score = 0;
    for (int64_t e = 0; e < form.d; ++e)
      score += at.query(q, b, h, i, e) * at.key(k, b, g, j, e);
    score *= p.scalar("scale");
    if (form.soft_cap)
      score = p.scalar("cap") * std::tanh(score / p.scalar("cap"));
    if (form.alibi)
      score -= p["Slope"](h) * double(std::abs(place - j));
    if (tested.modifies)
      score += 0.01 * double(j) - 0.5 * double(h) + 0.25 * double(b);
    scores[j] = score;
  }
  return scores;
}

Reference referenceOf(const Case &tested, const Problem &p) {
  const AttentionLengths &n = tested.lengths;
  const AttentionLayout at{tested.form, n};
  const int64_t dv = tested.form.dv;
  Reference result;
  for (int64_t b = 0; b < n.b; ++b)
    for (int64_t h = 0; h < n.h; ++h)
      for (int64_t i = 0; i < at.queries(b); ++i) {
        std::vector<double> scores = scoresOf(tested, p, b, h, i);
        const double sink = tested.form.sinks ? p["Sink"](h) : -infinity;
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
                o[e] += weight * at.key(p["V"], b, h / (n.h / n.hk), j, e);
        }
        const int64_t row = at.row(b, h, i);
        result.o.resize(std::max<size_t>(result.o.size(), (row + 1) * dv));
        result.l.resize(std::max<size_t>(result.l.size(), row + 1));
        std::ranges::copy(o, result.o.begin() + row * dv);
        result.l[row] = top == -infinity ? top : top + std::log(sum);
      }
  return result;
}

/// What the library makes of parts.
std::vector<HostTensor> combined(const AttentionForm &form,
                                 const std::vector<HostTensor> &parts) {
  Module module(device(), compileCleanly(combine_attention(form)));
  std::vector<Input> inputs;
  int64_t splits = 0, rows = 1;
  for (const HostTensor &part : parts) {
    splits = part.shape()[0];
    if (part.name() == "PartL")
      rows = part.elements() / splits;
    inputs.push_back({part.name(), [&](const Problem &, Coordinate at) {
                        const int64_t row = at[0] * rows + at[1];
                        return part.read(at.size() < 3 ? row
                                                       : row * form.dv + at[2]);
                      }});
  }
  return launchForAll(module, randomProblem(module.artifact(),
                                            {{"S", splits}, {"R", rows}}, {},
                                            {}, inputs));
}

void compare(const Case &tested, const Reference &expected,
             const std::vector<HostTensor> &results) {
  for (const HostTensor &result : results) {
    const bool isO = result.name() == "O";
    const std::vector<double> &of = isO ? expected.o : expected.l;
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < int64_t(of.size()); ++i) {
      const double value = result.read(i);
      ASSERT_FALSE(std::isnan(value)) << result.name() << " at " << i;
      if (std::isinf(of[i])) {
        // Parts go by way of the host, whose tensors take no infinity.
        ASSERT_LE(value, tested.config.splits > 1 ? -1e38 : of[i])
            << result.name() << " at " << i;
        continue;
      }
      if (of[i] == 0)
        ASSERT_EQ(value, 0) << result.name() << " at " << i;
      difference += std::pow(value - of[i], 2);
      norm += of[i] * of[i];
    }
    // Weights and results are rounded to the type.
    const bool isF16 = tested.form.type == f16;
    const double tolerance = !isO ? 1e-3 : isF16 ? 1e-3 : 6e-3;
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm))
        << result.name();
  }
}

void isRight(Case tested) {
  AttentionForm &form = tested.form;
  SCOPED_TRACE(describe(tested));
  form.logarithms = true;
  if (tested.modifies)
    form.modify = [](const Fragment &score, const ScorePlace &place) {
      return score + convert(place.key, f32) * 0.01f +
             (convert(place.batch, f32) * 0.25f -
              convert(place.head, f32) * 0.5f);
    };
  if (tested.masks)
    form.mask = [](const ScorePlace &place) {
      return ((place.query - place.key) & 1) == 0;
    };
  const AttentionLengths &n = tested.lengths;
  std::optional<Artifact> artifact;
  ASSERT_NO_THROW(artifact = compileCleanly(attention(form, tested.config)));
  Module module(device(), *artifact);
  std::vector<NamedScalar> scalars = {{"scale", 0.11}};
  if (form.soft_cap)
    scalars.push_back({"cap", 1.5});
  const AttentionLayout layout{form, n};
  Problem problem = randomProblem(module.artifact(), layout.sizes(), scalars,
                                  {}, layout.inputs());
  std::vector<HostTensor> results = launchForAll(module, problem);
  if (tested.config.splits > 1)
    results = combined(form, results);
  compare(tested, referenceOf(tested, problem), results);
}

/// A configuration whose registers and shared memory suffice.
AttentionConfig configFor(const AttentionForm &form, bool isAuthors) {
  const int64_t widest = std::max(form.d, form.dv);
  const bool changes =
      form.soft_cap || form.alibi || form.before || form.packed || isAuthors;
  const bool isPaged = form.page.has_value();
  if (widest > 128)
    return {.bn = widest > 192 && (changes || isPaged) ? 16 : 32,
            .stages = 3,
            .eager = true};
  if (widest > 96 || changes)
    return {.bn = isPaged && changes ? 32 : 64};
  return {};
}

std::vector<Case> named() {
  const AttentionLengths ragged{1, 2, 1, 150, 300};
  std::vector<Case> all;
  auto add = [&](std::string name, AttentionForm form, AttentionLengths lengths,
                 bool modifies = false, bool masks = false) {
    all.push_back({name, form, configFor(form, modifies || masks), lengths,
                   modifies, masks});
  };
  for (int64_t d : {64, 96, 128, 192, 256}) {
    AttentionForm form{.d = d, .dv = d};
    add("d " + std::to_string(d), form, ragged);
    form.after = 0;
    add("causal, d " + std::to_string(d), form, ragged);
  }
  add("d 192, dv 128", {.d = 192, .dv = 128, .after = 0}, ragged);
  add("f16", {.type = f16, .d = 64, .dv = 64, .after = 0}, ragged);
  add("a window", {.before = 70, .after = 0}, {1, 2, 2, 300, 300});
  add("a window on both sides", {.before = 20, .after = 31},
      {1, 1, 1, 239, 113});
  add("capped scores", {.soft_cap = true}, ragged);
  add("slopes", {.after = 0, .alibi = true}, ragged);
  add("sinks", {.after = 0, .sinks = true}, {1, 2, 1, 300, 150});
  add("sinks alone", {.after = 0, .sinks = true}, {1, 2, 1, 300, 1});
  add("rows without a key", {.after = 0}, {2, 1, 1, 300, 113});
  add("one key", {}, {1, 4, 1, 3, 1});
  add("no key", {.d = 64, .dv = 64}, {1, 2, 1, 130, 0});
  add("causal, no key", {.d = 64, .dv = 64, .after = 0}, {1, 2, 1, 130, 0});
  add("one query", {.after = 0}, {2, 4, 2, 1, 239});
  add("an author's scores", {.d = 64, .dv = 64}, {2, 2, 1, 130, 140}, true);
  add("an author's mask", {.d = 64, .dv = 64, .after = 0}, {1, 2, 1, 130, 140},
      false, true);
  const AttentionLengths several{
      4, 2, 1, 0, 0, {{150, 300}, {1, 113}, {130, 130}, {40, 3}}};
  add("packed", {.after = 0, .packed = true}, several);
  add("packed, all keys", {.d = 64, .dv = 64, .packed = true}, several);
  add("packed, a window", {.before = 50, .after = 0, .packed = true}, several);
  for (int64_t page : {16, 64, 256}) {
    const std::string of = " of " + std::to_string(page);
    add("pages" + of, {.d = 64, .dv = 64, .after = 0, .page = page},
        {3, 2, 1, 5, 0, {{}, {}, {}}});
    all.back().lengths.sequences = {{0, 300}, {0, 5}, {0, 77}};
    add("packed, pages" + of, {.after = 0, .packed = true, .page = page},
        several);
  }
  Case three{"three warpgroups",
             {.d = 64, .dv = 64, .after = 0},
             {.bm = 192, .bn = 64, .stages = 4, .warpgroups = 3},
             {1, 1, 1, 400, 300}};
  all.push_back(three);
  for (int64_t splits : {2, 5}) {
    const std::string parts = "in " + std::to_string(splits) + " parts";
    add(parts, {}, {1, 2, 1, 3, 700});
    all.back().config.splits = splits;
    add(parts + ", packed, pages", {.after = 0, .packed = true, .page = 64},
        several);
    all.back().config.splits = splits;
    add(parts + ", causal", {.d = 64, .dv = 64, .after = 0},
        {1, 2, 1, 200, 300});
    all.back().config.splits = splits;
  }
  Case eager{"eager", {.after = 0}, {.bn = 96, .eager = true}, ragged};
  all.push_back(eager);
  return all;
}

/// Any form, head dimension and lengths.
Case drawn(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto of = [&](auto... values) {
    const int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  AttentionForm form;
  form.type = of(0, 1) ? bf16 : f16;
  form.d = of(64, 96, 128, 192, 256);
  form.dv = of(0, 1, 2) ? form.d : of(64, 128);
  if (of(0, 1))
    form.after = of(0, 0, 0, 5, 100);
  if (of(0, 0, 1))
    form.before = of(0, 7, 64, 200);
  form.soft_cap = of(0, 0, 0, 1);
  form.alibi = of(0, 0, 0, 1);
  form.sinks = of(0, 0, 0, 1);
  auto length = [&] { return of(1, 3, 64, 113, 239, 300); };
  const int64_t hk = of(1, 1, 2);
  AttentionLengths lengths{of(1, 1, 2), hk * of(1, 2), hk, length(), length()};
  form.packed = of(0, 0, 1);
  if (of(0, 0, 1))
    form.page = of(16, 32, 64, 128, 256);
  for (int64_t b = 0; b < lengths.b; ++b)
    lengths.sequences.push_back({length(), length()});
  const int64_t splits = of(1, 1, 1, 3);
  const bool modifies = of(0, 0, 0, 1), masks = of(0, 0, 0, 1);
  AttentionConfig config = configFor(form, modifies || masks);
  config.splits = splits;
  return {
      "seed " + std::to_string(seed), form, config, lengths, modifies, masks};
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

TEST(AttentionRefuses, WhatItIsNotMadeFor) {
  auto refusal = [](const AttentionForm &form, const AttentionConfig &config) {
    try {
      compile(attention(form, config));
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_THAT(
      refusal({.page = 48}, {}),
      HasSubstr("pages of 48 keys and blocks of 128 do not meet: use "
                "pages of a multiple of 128, or of a part of it that is "
                "a multiple of 8"));
  EXPECT_THAT(refusal({.page = 4}, {}), HasSubstr("AttentionTest.cpp:"));
  EXPECT_THAT(refusal({.type = e4m3}, {}), HasSubstr("use bf16 or f16"));
  EXPECT_THAT(refusal({}, {.splits = 0}), HasSubstr("use 1 or more"));
  EXPECT_THAT(refusal({.d = 256, .dv = 256}, {}),
              HasSubstr("over the limit of"));
}

TEST(AttentionRefuses, HeadsThatAreNotShared) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto launchOn = [](int64_t heads) {
    launchAndExit(attention({.d = 64, .dv = 64}, {}),
                  {{"B", 1}, {"H", heads}, {"Hk", 2}, {"Sq", 3}, {"Sk", 3}},
                  {});
  };
  EXPECT_EXIT(launchOn(4), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launchOn(3), testing::ExitedWithCode(3),
              "the heads of Q, is a multiple of Hk");
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  registerTest("Attention", "prefixes of a launch", hasPrefixes);
  for (const Case &tested : named())
    registerTest("Attention", tested.name, [tested] { isRight(tested); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 100 : 300); ++seed)
    registerTest("RandomAttention", "seed " + std::to_string(seed),
                 [seed] { isRight(drawn(seed)); });
});

} // namespace
} // namespace ashlar::test
