// The library's attention against double, over forms, head dimensions and
// lengths that divide nothing: by name, and drawn at random.

#include "ashlar/attention_auto.h"
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
  int64_t splits = 0; ///< of a configuration that shares keys out
};

std::string describe(const Case &tested) {
  const AttentionForm &form = tested.form;
  std::ostringstream text;
  text << name(form.type) << " d " << form.d << " dv " << form.dv
       << (form.latent ? " of K" : "") << (tested.config.apart ? " apart" : "")
       << (tested.config.cluster > 1 ? " multicast" : "");
  if (form.before)
    text << " before " << *form.before;
  if (form.after)
    text << " after " << *form.after;
  text << (form.soft_cap ? " capped" : "") << (form.alibi ? " slopes" : "")
       << (form.sinks ? " sinks" : "") << (form.packed ? " packed" : "")
       << (form.page ? " pages of " + std::to_string(*form.page) : "")
       << (tested.modifies ? " author's scores" : "")
       << (tested.masks ? " author's mask" : "") << ", " << tested.config.bm
       << "x" << tested.config.bn << " ctas " << tested.config.ctas;
  const AttentionLengths &n = tested.lengths;
  if (form.group > 1)
    text << " groups of " << form.group;
  text << " in " << tested.splits << " parts, B " << n.b << " H " << n.h
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
  const int64_t g = h / at.shared();
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
      score -= at.ofHead(p["Slope"], h) * double(std::abs(place - j));
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
  const HostTensor &v = p[tested.form.latent ? "K" : "V"];
  Reference result;
  for (int64_t b = 0; b < n.b; ++b)
    for (int64_t h = 0; h < n.h; ++h)
      for (int64_t i = 0; i < at.queries(b); ++i) {
        std::vector<double> scores = scoresOf(tested, p, b, h, i);
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
                o[e] += weight * at.value(v, b, h / at.shared(), j, e);
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
  return result;
}

/// Weights and results are rounded to the type. A weight of e4m3 has three bits
/// behind its first: it is wrong by up to 1/16, some 0.026 in the mean, and so
/// are sums of many values of either sign.
double toleranceOf(const AttentionForm &form) {
  return form.type == e4m3 ? 3e-2 : form.type == f16 ? 1e-3 : 6e-3;
}

void compare(const Case &tested, const Reference &expected,
             const std::vector<HostTensor> &results) {
  for (const HostTensor &result : results) {
    if (result.name() == "Done")
      for (int64_t i = 0; i < result.elements(); ++i)
        ASSERT_EQ(result.read(i), 0) << "counters are left as they were";
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

/// What an author does to scores.
void addAuthors(Case &tested) {
  if (tested.modifies)
    tested.form.modify = [](const Fragment &score, const ScorePlace &place) {
      return score + convert(place.key, f32) * 0.01f +
             (convert(place.batch, f32) * 0.25f -
              convert(place.head, f32) * 0.5f);
    };
  if (tested.masks)
    tested.form.mask = [](const ScorePlace &place) {
      return ((place.query - place.key) & 1) == 0;
    };
}

void isRight(Case tested) {
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
  if (tested.splits) {
    const PartSizes parts = part_sizes(
        form, tested.config, {n.b, n.h, n.hk, layout.mostQueries(), n.sk});
    sizes.insert(sizes.end(), {{"Splits", tested.splits},
                               {"Tiles", parts.tiles},
                               {"Rows", parts.rows}});
    zeros = {"Done"};
    for (const char *name : {"Parts", "PartL"})
      inputs.push_back({name, [](const Problem &, Coordinate) {
                          return std::numeric_limits<double>::quiet_NaN();
                        }});
  }
  Problem problem =
      randomProblem(module.artifact(), sizes, scalars, zeros, inputs);
  compare(tested, referenceOf(tested, problem), launchForAll(module, problem));
}

/// Blocks of 8 bits are multiples of 32 keys.
AttentionConfig configOf8Bits(const AttentionForm &form, bool isAuthors) {
  const bool changes =
      form.soft_cap || form.alibi || form.before || form.packed || isAuthors;
  const bool isWide = std::max(form.d, form.dv) > 128;
  const bool isSmall = isWide || changes || form.page == 32;
  return {.bn = isSmall ? 32 : 64, .stages = 4, .eager = true};
}

/// A configuration whose registers and shared memory suffice.
AttentionConfig configFor(const AttentionForm &form, bool isAuthors) {
  if (form.type == e4m3)
    return configOf8Bits(form, isAuthors);
  if (form.dv > 256)
    return {.bm = 64,
            .bn = form.latent && !isAuthors ? 64 : 32,
            .stages = 2,
            .apart = true};
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

void splitUp(Case &tested, int64_t splits) {
  tested.config.splits = splits > 0;
  tested.splits = splits;
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
  add("d 160", {.d = 160, .dv = 160, .after = 0}, ragged);
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
    splitUp(all.back(), splits);
    add(parts + ", packed, pages", {.after = 0, .packed = true, .page = 64},
        several);
    splitUp(all.back(), splits);
    add(parts + ", causal", {.d = 64, .dv = 64, .after = 0},
        {1, 2, 1, 200, 300});
    splitUp(all.back(), splits);
  }
  const AttentionConfig decoding{
      .bm = 64, .bn = 64, .stages = 8, .warpgroups = 1};
  auto addGrouped = [&](std::string name, AttentionForm form, int64_t splits,
                        AttentionLengths lengths) {
    all.push_back({name, form, decoding, lengths});
    splitUp(all.back(), splits);
  };
  addGrouped("groups of heads", {.group = 8, .after = 0}, 0,
             {2, 16, 2, 21, 300});
  addGrouped("groups of fewer heads than rows", {.group = 8, .after = 0}, 3,
             {2, 10, 2, 3, 700});
  addGrouped("decoding, one part", {.group = 8}, 1, {2, 16, 2, 1, 300});
  addGrouped("decoding, more parts than blocks", {.group = 8}, 7,
             {2, 8, 1, 1, 300});
  addGrouped("decoding, no key", {.group = 4}, 3, {2, 8, 2, 1, 0});
  addGrouped("grouped slopes and sinks",
             {.group = 4, .after = 0, .alibi = true, .sinks = true}, 3,
             {2, 6, 2, 5, 300});
  addGrouped("decoding, pages",
             {.group = 8, .after = 0, .packed = true, .page = 16}, 3,
             {3, 16, 2, 0, 0, {{1, 700}, {8, 300}, {3, 7}}});
  all.back().config.queries = all.back().config.ctas = 2;
  all.back().config.stages = 4;
  AttentionForm latent{.d = 576, .dv = 512, .latent = true, .after = 0};
  add("latent", latent, {1, 2, 1, 70, 150});
  latent.group = 16;
  latent.page = 64;
  const AttentionLengths tokens{3, 16, 1, 3, 0, {{3, 300}, {1, 700}, {3, 64}}};
  add("latent, pages", latent, tokens);
  add("latent, eager, pages", latent, tokens);
  all.back().config.eager = true;
  add("latent, pages, in 3 parts", latent, tokens);
  splitUp(all.back(), 3);
  latent.packed = true;
  add("latent, packed, pages, in 3 parts", latent, tokens);
  splitUp(all.back(), 3);
  latent.group = 128;
  add("latent, 128 heads, pages", latent,
      {2, 128, 1, 2, 0, {{1, 100}, {2, 300}}});
  add("latent, 100 heads, pages, in 2 parts", latent,
      {2, 100, 1, 2, 0, {{1, 100}, {2, 300}}});
  splitUp(all.back(), 2);
  all.back().config.cluster = 2;
  add("latent, 128 heads, pages, multicast", latent,
      {2, 128, 1, 2, 0, {{1, 100}, {2, 300}}});
  all.back().config.cluster = 2;
  all.back().config.eager = true;
  latent.page = {};
  add("latent, 128 heads, packed", latent,
      {2, 128, 1, 2, 0, {{1, 100}, {2, 130}}});
  add("latent, d 192, dv 128",
      {.d = 192, .dv = 128, .latent = true, .after = 0}, ragged);
  add("d 512, pages", {.d = 512, .dv = 512, .after = 0, .page = 64},
      {2, 2, 1, 70, 0, {{70, 100}, {70, 77}}});
  add("groups of more heads than rows",
      {.d = 64, .dv = 64, .group = 256, .after = 0}, {1, 200, 1, 2, 100});
  Case eager{"eager", {.after = 0}, {.bn = 96, .eager = true}, ragged};
  all.push_back(eager);
  for (int64_t d : {64, 128, 256}) {
    const std::string of = "e4m3, d " + std::to_string(d);
    AttentionForm form{.type = e4m3, .d = d, .dv = d};
    add(of, form, ragged);
    form.after = 0;
    add(of + ", causal", form, {2, 4, 2, 150, 300});
  }
  add("e4m3, rows without a key", {.type = e4m3, .after = 0},
      {1, 2, 1, 300, 113});
  add("e4m3, packed", {.type = e4m3, .after = 0, .packed = true}, several);
  add("e4m3, sinks and slopes",
      {.type = e4m3, .after = 0, .alibi = true, .sinks = true}, ragged);
  for (int64_t page : {64, 256}) {
    add("e4m3, packed, pages of " + std::to_string(page),
        {.type = e4m3, .after = 0, .packed = true, .page = page}, several);
  }
  all.push_back({"e4m3, blocks of 160 keys",
                 {.type = e4m3},
                 {.bn = 160, .stages = 4, .eager = true},
                 {1, 2, 1, 150, 700}});
  all.push_back(
      {"e4m3, decoding",
       {.type = e4m3, .group = 8, .after = 0},
       {.bm = 64, .bn = 128, .warpgroups = 1, .splits = true, .eager = true},
       {2, 16, 2, 3, 700}});
  splitUp(all.back(), 3);
  add("e4m3, in 3 parts", {.type = e4m3, .after = 0, .sinks = true},
      {1, 2, 1, 3, 700});
  splitUp(all.back(), 3);
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
  const int64_t splits = form.d > 192 ? 0 : of(0, 0, 1, 3, 5);
  if (of(0, 0, 1)) {
    form.group = of(2, 4, 8, 16);
    lengths.h = hk * of(form.group, form.group, form.group - 1);
  }
  const bool modifies = of(0, 0, 0, 1), masks = of(0, 0, 0, 1);
  const bool isOneWarpgroup = of(0, 0, 1);
  if (of(0, 0, 1)) {
    form.type = e4m3;
    if (form.page)
      form.page = std::max<int64_t>(*form.page, 32);
  }
  Case result{"seed " + std::to_string(seed),
              form,
              configFor(form, modifies || masks),
              lengths,
              modifies,
              masks};
  if (isOneWarpgroup) {
    result.config.bm = 64;
    result.config.warpgroups = 1;
  }
  splitUp(result, splits);
  return result;
}

/// The same with V in K, or with warpgroups that are apart, or both.
Case drawnLatent(uint64_t seed) {
  Case result = drawn(seed);
  std::mt19937_64 random(~seed);
  auto of = [&](auto... values) {
    const int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  AttentionForm &form = result.form;
  form.type = of(0, 1) ? bf16 : f16;
  form.latent = of(0, 1, 1);
  form.dv = of(128, 256, 512, 512);
  form.d = form.dv + (form.latent ? of(0, 64) : 0);
  if (of(0, 1)) {
    form.group = of(64, 128);
    AttentionLengths &n = result.lengths;
    n.h = n.hk * of(form.group, form.group - 3);
    n.sq = 1 + n.sq % 3;
    for (auto &[queries, keys] : n.sequences)
      queries = 1 + queries % 3;
  }
  const bool isAuthors = result.modifies || result.masks;
  const bool isApart = form.dv > 256 || of(0, 1);
  result.config = configFor(form, isAuthors || form.before || form.alibi);
  if (isApart && form.dv <= 256)
    result.config = {.bm = 64, .bn = 32, .stages = 2, .apart = true};
  if (isApart)
    result.config.eager = of(0, 1);
  splitUp(result, result.splits);
  return result;
}

AttentionSizes sizesOf(const AttentionForm &form, const AttentionLengths &n) {
  const AttentionLayout at{form, n};
  AttentionSizes sizes{n.b, n.h, n.hk, at.mostQueries(), 0};
  for (int64_t b = 0; b < n.b; ++b)
    sizes.keys = std::max(sizes.keys, at.keys(b));
  return sizes;
}

void choose(Case &tested, const AttentionSizes &sizes) {
  addAuthors(tested);
  const AttentionChoice choice = attention_auto(tested.form, sizes);
  tested.form.group = choice.group;
  tested.config = choice.config;
  splitUp(tested, choice.splits);
}

/// Chosen for small problems, and right.
void isRightAsChosen(Case tested) {
  choose(tested, sizesOf(tested.form, tested.lengths));
  isRight(tested);
}

/// Chosen for what models have, with all that registers are needed for. The
/// least block may spill: there is no other.
void compilesAsChosen(Case tested, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto of = [&](auto... values) {
    const int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  const int64_t keyHeads = of(1, 2, 8), queries = of(1, 1, 8, 256, 4096);
  const AttentionSizes sizes{
      of(1, 4, 32, 128),
      keyHeads * (tested.form.latent ? of(16, 64, 128) : of(1, 4, 7, 8)),
      keyHeads, queries, queries + of(0, 1024, 32768)};
  choose(tested, sizes);
  SCOPED_TRACE(describe(tested));
  tested.form.logarithms = of(0, 1);
  const Kernel kernel = attention(tested.form, tested.config);
  if (tested.config.bn == (tested.form.type == e4m3 ? 32 : 16))
    EXPECT_NO_THROW(compile(kernel));
  else
    EXPECT_NO_THROW(compileCleanly(kernel));
}

TEST(AttentionChoice, IsTheModelsFastest) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Case tested = drawn(seed);
    const AttentionSizes sizes = sizesOf(tested.form, tested.lengths);
    const AttentionChoice best = attention_auto(tested.form, sizes);
    for (const AttentionChoice &other :
         attention_candidates(tested.form, sizes)) {
      EXPECT_LE(best.cost.total, other.cost.total);
      EXPECT_EQ(other.cost.total,
                attention_cost(tested.form, sizes, other).total);
    }
  }
}

TEST(AttentionChoice, SharesKeysOutWhereTilesAreFew) {
  const AttentionForm form{.page = 16};
  /// How much longer it takes without parts.
  auto withoutParts = [&](const AttentionSizes &sizes) {
    std::vector<AttentionChoice> all = attention_candidates(form, sizes);
    const double best = all.front().cost.total;
    std::erase_if(all, [](const AttentionChoice &c) { return c.splits > 0; });
    return all.front().cost.total / best;
  };
  const AttentionSizes one{1, 64, 8, 1, 8192};
  EXPECT_EQ(attention_auto(form, one).group, 8);
  EXPECT_GT(attention_auto(form, one).splits, 4);
  EXPECT_GT(withoutParts(one), 2);
  EXPECT_LT(withoutParts({128, 64, 8, 1, 32768}), 1.01);
  EXPECT_THAT(why(attention_candidates(form, one), 2),
              testing::HasSubstr("total us"));
}

TEST(AttentionChoice, KeepsLatentKeysInTwoWarpgroups) {
  const AttentionForm form{.d = 576, .dv = 512, .latent = true, .page = 64};
  const AttentionChoice choice = attention_auto(form, {32, 128, 1, 1, 8192});
  EXPECT_TRUE(choice.config.apart);
  EXPECT_EQ(choice.group, 128);
  EXPECT_EQ(choice.config.bn, 64);
  EXPECT_EQ(choice.splits, 2);
}

/// What three warpgroups hide of each other's softmax is worth more than what
/// tiles of 192 rows lose at the end of a sequence, where that is long.
TEST(AttentionChoice, TakesThreeWarpgroupsWhereSequencesAreLong) {
  const AttentionForm full{.d = 64, .dv = 64};
  AttentionForm causal = full;
  causal.after = 0;
  causal.logarithms = true;
  auto warpgroups = [](const AttentionForm &form, int64_t length) {
    const AttentionSizes sizes{16384 / length, 32, 32, length, length};
    const AttentionConfig config = attention_auto(form, sizes).config;
    EXPECT_EQ(config.bn, 128);
    EXPECT_NO_THROW(compileCleanly(attention(form, config)));
    return config.warpgroups;
  };
  EXPECT_EQ(warpgroups(full, 1024), 3);
  EXPECT_EQ(warpgroups(full, 4096), 3);
  EXPECT_EQ(warpgroups(causal, 1024), 2);
  EXPECT_EQ(warpgroups(causal, 4096), 3);
}

TEST(AttentionChoice, SaysWhatIsExposed) {
  const AttentionForm form{.d = 64, .dv = 64};
  const AttentionSizes sizes{4, 32, 32, 4096, 4096};
  auto exposed = [&](const AttentionConfig &config) {
    const AttentionCost cost = attention_cost(form, sizes, {1, config, 0, {}});
    EXPECT_LT(cost.exposed, cost.math);
    return cost.exposed / cost.math;
  };
  EXPECT_LT(exposed({.bm = 192, .stages = 6, .warpgroups = 3}),
            exposed({.bm = 128, .stages = 8, .warpgroups = 2}));
}

TEST(AttentionChoice, TellsThatPagesOf8BitsAreTooSmall) {
  try {
    attention_auto({.type = e4m3, .page = 16}, {1, 1, 1, 1, 1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("pages of 16 keys of e4m3"));
  }
}

TEST(AttentionChoice, TellsThatThereIsNone) {
  try {
    attention_auto({.d = 1024, .dv = 1024}, {1, 1, 1, 1, 1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("AttentionTest.cpp:"));
    EXPECT_THAT(error.what(),
                testing::HasSubstr("no configuration for heads of 1024"));
  }
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
  auto resultOf = [&](int64_t batch) {
    const PartSizes parts = part_sizes(form, config, {batch, 8, 2, 3, 500});
    return launch(
        module,
        randomProblem(module.artifact(),
                      {{"B", batch},
                       {"Hk", 2},
                       {"G", 4},
                       {"Sq", 3},
                       {"Sk", 500},
                       {"Splits", 3},
                       {"Tiles", parts.tiles},
                       {"Rows", parts.rows}},
                      {{"scale", 0.2}}, {"Done"},
                      {{"Q", element}, {"K", element}, {"V", element}}),
        "O");
  };
  const HostTensor alone = resultOf(1), among = resultOf(5);
  for (int64_t i = 0; i < among.elements(); ++i)
    ASSERT_EQ(among.read(i), alone.read(i % alone.elements())) << i;
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
  EXPECT_THAT(refusal({.packed = true}, {.bm = 192, .bn = 64, .warpgroups = 3}),
              HasSubstr("does not divide among 384 threads: use a multiple of "
                        "3 keys"));
  EXPECT_THAT(refusal({.d = 256, .dv = 256},
                      {.bm = 64, .bn = 16, .warpgroups = 1, .ctas = 2}),
              HasSubstr("128 sums and starts with 128 registers: use fewer"));
  EXPECT_THAT(refusal({.type = e4m3}, {.bn = 48}),
              HasSubstr("48 keys is no depth of a product of e4m3: use a "
                        "multiple of 32"));
  EXPECT_THAT(refusal({.type = e4m3, .d = 48, .dv = 48}, {}),
              HasSubstr("use a multiple of 32 for Q and K, of 16 for V"));
  EXPECT_THAT(refusal({.type = e4m3, .page = 64}, {}),
              HasSubstr("does not hold whole blocks of 128: use a multiple"));
  EXPECT_THAT(refusal({.type = e5m2}, {}), HasSubstr("use bf16, f16 or e4m3"));
  EXPECT_THAT(
      refusal({.group = 6}, {.bm = 64}),
      HasSubstr("a tile of 64 rows does not hold whole groups of 6, nor such a "
                "group whole tiles: use a power of 2"));
  EXPECT_THAT(refusal({.type = e4m3, .latent = true}, {}),
              HasSubstr("V can't be columns of K of e4m3"));
  EXPECT_THAT(refusal({.d = 64, .latent = true}, {}),
              HasSubstr("V has 128 columns, of K's 64: use at most as many"));
  const AttentionConfig apart{.bm = 64, .bn = 32, .apart = true};
  EXPECT_THAT(refusal({.type = e4m3}, apart), HasSubstr("use bf16 or f16"));
  EXPECT_THAT(refusal({.dv = 192}, apart),
              HasSubstr("no halves that begin with a swizzle atom: use a "
                        "multiple of 128"));
  EXPECT_THAT(
      refusal({.group = 128}, {.bm = 64, .warpgroups = 1, .cluster = 4}),
      HasSubstr("2 tiles, which do not divide into clusters of 4"));
  EXPECT_THAT(refusal({.group = 128, .page = 8},
                      {.bm = 64, .warpgroups = 1, .cluster = 2}),
              HasSubstr("2 slices of whole swizzle atoms: use a multiple of "
                        "16"));
  EXPECT_THAT(refusal({}, {.bm = 64, .warpgroups = 1, .apart = true}),
              HasSubstr("one half of 1 warpgroups is to keep half of O's "
                        "columns: use 2"));
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
  for (uint64_t seed = 0; seed < (isSimulated() ? 8 : 100); ++seed)
    registerTest("RandomAttention", "latent, seed " + std::to_string(seed),
                 [seed] { isRight(drawnLatent(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 10 : 100); ++seed)
    registerTest("ChosenAttention", "seed " + std::to_string(seed),
                 [seed] { isRightAsChosen(drawn(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 60 : 150); ++seed)
    registerTest("ChosenAttention", "compiled, seed " + std::to_string(seed),
                 [seed] { compilesAsChosen(drawn(seed), seed); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 2 : 50); ++seed)
    registerTest("ChosenAttention", "latent, seed " + std::to_string(seed),
                 [seed] { isRightAsChosen(drawnLatent(seed)); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 8 : 100); ++seed)
    registerTest("ChosenAttention",
                 "latent, compiled, seed " + std::to_string(seed),
                 [seed] { compilesAsChosen(drawnLatent(seed), seed); });
});

} // namespace
} // namespace ashlar::test
