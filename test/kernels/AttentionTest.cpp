// The library's attention against double, over forms, head dimensions and
// lengths that divide nothing: by name, and drawn at random.

#include "ashlar/attention.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"

#include "ashlar/ashlar.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <sstream>

namespace ashlar::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Lengths {
  int64_t b, h, hk, sq, sk;
};

/// A form, and the author's functions by number: none, a score that falls with
/// the distance, keys of the same parity alone.
struct Case {
  std::string name;
  AttentionForm form;
  AttentionConfig config;
  Lengths lengths;
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
       << (form.sinks ? " sinks" : "")
       << (tested.modifies ? " author's scores" : "")
       << (tested.masks ? " author's mask" : "") << ", " << tested.config.bm
       << "x" << tested.config.bn;
  const Lengths &n = tested.lengths;
  text << ", B " << n.b << " H " << n.h << " Hk " << n.hk << " Sq " << n.sq
       << " Sk " << n.sk;
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
  const Lengths &n = tested.lengths;
  const HostTensor &q = p["Q"], &k = p["K"];
  const int64_t place = i + n.sk - n.sq, g = h / (n.h / n.hk);
  std::vector<double> scores(n.sk, -infinity);
  for (int64_t j = 0; j < n.sk; ++j) {
    if ((form.after && j > place + *form.after) ||
        (form.before && j < place - *form.before) ||
        (tested.masks && (place - j) % 2 != 0))
      continue;
    double score = 0;
    for (int64_t e = 0; e < form.d; ++e)
      score += q(b, h, i, e) * k(b, g, j, e);
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
  const Lengths &n = tested.lengths;
  Reference result;
  for (int64_t b = 0; b < n.b; ++b)
    for (int64_t h = 0; h < n.h; ++h)
      for (int64_t i = 0; i < n.sq; ++i) {
        std::vector<double> scores = scoresOf(tested, p, b, h, i);
        const double sink = tested.form.sinks ? p["Sink"](h) : -infinity;
        double top = sink, sum = 0;
        for (double score : scores)
          top = std::max(top, score);
        std::vector<double> o(tested.form.dv, 0);
        if (top != -infinity) {
          sum = std::exp(sink - top);
          for (double score : scores)
            sum += std::exp(score - top);
          for (int64_t j = 0; j < n.sk; ++j)
            if (const double weight = std::exp(scores[j] - top) / sum)
              for (int64_t e = 0; e < tested.form.dv; ++e)
                o[e] += weight * p["V"](b, h / (n.h / n.hk), j, e);
        }
        result.o.insert(result.o.end(), o.begin(), o.end());
        result.l.push_back(top == -infinity ? top : top + std::log(sum));
      }
  return result;
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
  const Lengths &n = tested.lengths;
  std::optional<Artifact> artifact;
  ASSERT_NO_THROW(artifact = compileCleanly(attention(form, tested.config)));
  Module module(device(), *artifact);
  std::vector<NamedScalar> scalars = {{"scale", 0.11}};
  if (form.soft_cap)
    scalars.push_back({"cap", 1.5});
  Problem problem = randomProblem(
      module.artifact(),
      {{"B", n.b}, {"H", n.h}, {"Hk", n.hk}, {"Sq", n.sq}, {"Sk", n.sk}},
      scalars);
  const Reference expected = referenceOf(tested, problem);
  for (const HostTensor &result : launchForAll(module, problem)) {
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
    // Weights and results are rounded to the type.
    const double tolerance = !isO ? 1e-3 : form.type == f16 ? 1e-3 : 6e-3;
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm))
        << result.name();
  }
}

/// A configuration whose registers and shared memory suffice.
AttentionConfig configFor(const AttentionForm &form, bool isAuthors) {
  const int64_t widest = std::max(form.d, form.dv);
  const bool changes = form.soft_cap || form.alibi || form.before || isAuthors;
  if (widest > 128)
    return {
        .bn = widest > 192 && changes ? 16 : 32, .stages = 3, .eager = true};
  if (widest > 96 || changes)
    return {.bn = 64};
  return {};
}

std::vector<Case> named() {
  const Lengths ragged{1, 2, 1, 150, 300};
  std::vector<Case> all;
  auto add = [&](std::string name, AttentionForm form, Lengths lengths,
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
  add("one query", {.after = 0}, {2, 4, 2, 1, 239});
  add("an author's scores", {.d = 64, .dv = 64}, {2, 2, 1, 130, 140}, true);
  add("an author's mask", {.d = 64, .dv = 64, .after = 0}, {1, 2, 1, 130, 140},
      false, true);
  Case three{"three warpgroups",
             {.d = 64, .dv = 64, .after = 0},
             {.bm = 192, .bn = 64, .stages = 4, .warpgroups = 3},
             {1, 1, 1, 400, 300}};
  all.push_back(three);
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
  const int64_t hk = of(1, 1, 2);
  const Lengths lengths{of(1, 1, 2), hk * of(1, 2), hk,
                        of(1, 3, 64, 113, 239, 300),
                        of(1, 3, 64, 113, 239, 300)};
  const bool modifies = of(0, 0, 0, 1), masks = of(0, 0, 0, 1);
  return {"seed " + std::to_string(seed),
          form,
          configFor(form, modifies || masks),
          lengths,
          modifies,
          masks};
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  for (const Case &tested : named())
    registerTest("Attention", tested.name, [tested] { isRight(tested); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 100 : 300); ++seed)
    registerTest("RandomAttention", "seed " + std::to_string(seed),
                 [seed] { isRight(drawn(seed)); });
});

} // namespace
} // namespace ashlar::test
