#include "test/kernels/AttentionBackwardCases.h"
#include "test/kernels/Draw.h"

#include <iterator>
#include <random>
#include <set>
#include <sstream>

namespace ashlar::test {

std::string describe(const AttentionBackwardCase &tested) {
  const AttentionForm &form = tested.form;
  std::ostringstream text;
  text << name(form.type) << " d " << form.d << " dv " << form.dv;
  if (form.before)
    text << " before " << *form.before;
  if (form.after)
    text << " after " << *form.after;
  const AttentionLengths &n = tested.lengths;
  text << (form.packed ? " packed" : "") << (form.sinks ? " sinks" : "")
       << (tested.config.deterministic ? " deterministic" : "") << ", "
       << tested.config.bm << "x" << tested.config.bn
       << (tested.config.apart ? " apart" : "")
       << (tested.config.cluster > 1 ? " two CTAs" : "") << ", B " << n.b
       << " H " << n.h << " Hk " << n.hk << " Sq " << n.sq << " Sk " << n.sk;
  for (auto [queries, keys] : n.sequences)
    text << " " << queries << "/" << keys;
  return text.str();
}

/// A configuration whose registers and shared memory suffice.
static AttentionBackwardConfig configFor(const AttentionForm &form) {
  const bool isOdd = form.d % 64 != 0 || form.dv > form.d;
  if (form.d > 128 || (isOdd && !form.packed))
    return {
        .bm = form.d % 64 ? 64 : 48, .bn = 64, .warpgroups = 3, .apart = true};
  return {};
}

std::vector<AttentionBackwardCase> namedAttentionBackwardCases() {
  const AttentionLengths ragged{1, 2, 1, 150, 300};
  std::vector<AttentionBackwardCase> all;
  auto add = [&](const std::string &name, const AttentionForm &form,
                 const AttentionLengths &lengths) {
    all.push_back({name, form, configFor(form), lengths});
  };
  for (int64_t d : {64, 96, 128, 192, 256}) {
    AttentionForm form{.d = d, .dv = d};
    add("d " + std::to_string(d), form, ragged);
    form.after = 0;
    add("causal, d " + std::to_string(d), form, ragged);
  }
  add("128 rows in a block", {.d = 64, .dv = 64, .after = 0}, ragged);
  all.back().config.bm = 128;
  add("four stages of rows", {.d = 64, .dv = 64, .after = 0}, ragged);
  all.back().config.stages = 4;
  add("d 192, dv 128", {.d = 192, .dv = 128, .after = 0}, ragged);
  add("d 128, dv 64", {.d = 128, .dv = 64, .after = 0}, ragged);
  add("f16", {.type = f16, .d = 64, .dv = 64, .after = 0}, ragged);
  add("a window", {.before = 70, .after = 0}, {1, 2, 2, 300, 300});
  add("a window on both sides", {.before = 20, .after = 31},
      {1, 1, 1, 239, 113});
  add("sinks", {.d = 64, .dv = 64, .after = 0, .sinks = true}, ragged);
  add("rows without a key", {.after = 0}, {2, 1, 1, 300, 113});
  add("keys without a row", {.before = 7}, {1, 1, 1, 20, 300});
  add("one key", {}, {1, 4, 1, 3, 1});
  add("no key", {.d = 64, .dv = 64}, {1, 2, 1, 130, 0});
  add("no query", {.d = 64, .dv = 64}, {1, 2, 1, 0, 130});
  add("equal heads", {.after = 0}, {2, 2, 2, 64, 239});
  add("more tiles than CTAs", {.d = 64, .dv = 64}, {5, 10, 10, 40, 300});
  add("more tiles of wide heads than CTAs", {.d = 192, .dv = 192},
      {1, 34, 34, 10, 300});
  add("many shared heads, causal", {.after = 0}, {1, 6, 2, 300, 600});
  add("one query", {.after = 0}, {2, 4, 2, 1, 239});
  const AttentionLengths several{
      4, 2, 1, 0, 0, {{150, 300}, {1, 113}, {130, 130}, {40, 3}}};
  add("packed", {.after = 0, .packed = true}, several);
  add("d 200", {.d = 200, .dv = 200, .after = 0}, ragged);
  add("d 72, dv 40", {.d = 72, .dv = 40, .after = 0}, ragged);
  add("packed, d 104", {.d = 104, .dv = 104, .after = 0, .packed = true},
      several);
  add("packed, d 40", {.d = 40, .dv = 40, .after = 0, .packed = true}, several);
  add("packed, d 72", {.d = 72, .dv = 72, .after = 0, .packed = true}, several);
  add("packed, all keys", {.d = 64, .dv = 64, .packed = true}, several);
  add("packed, a window", {.before = 50, .after = 0, .packed = true}, several);
  add("many wide heads, causal", {.d = 256, .dv = 256, .after = 0},
      {2, 34, 17, 200, 300});
  add("wide heads, a window", {.d = 256, .dv = 64, .before = 70, .after = 3},
      {1, 2, 2, 239, 500});
  const std::set<std::string> uneven = {"causal, d 64",
                                        "causal, d 256",
                                        "no query",
                                        "more tiles than CTAs",
                                        "many shared heads, causal",
                                        "packed"};
  for (AttentionBackwardCase tested : std::vector(all))
    if (uneven.contains(tested.name)) {
      tested.name += ", as CTAs get free";
      tested.config.dynamic = true;
      all.push_back(tested);
    }
  for (AttentionBackwardCase tested : std::vector(all))
    if (tested.form.d % 128 == 0 && tested.config.warpgroups == 3 &&
        !tested.config.dynamic) {
      tested.name += ", two CTAs";
      tested.config.cluster = 2;
      all.push_back(tested);
    }
  const AttentionBackwardConfig shared{
      .bm = 48, .bn = 64, .warpgroups = 3, .apart = true, .cluster = 2};
  auto addShared = [&](const std::string &name, const AttentionForm &form,
                       const AttentionLengths &lengths) {
    all.push_back({name + ", two CTAs", form, shared, lengths});
  };
  for (int64_t dv : {64, 128, 256})
    addShared("dv " + std::to_string(dv), {.dv = dv, .after = 0}, ragged);
  addShared("wide heads, no key", {.d = 256}, {1, 2, 1, 130, 0});
  addShared("wide heads, no query", {.d = 256}, {1, 2, 1, 0, 130});
  addShared("wide heads, a window behind", {.d = 256, .before = 60},
            {3, 2, 1, 239, 300});
  add("d 256, 64 rows in a block", {.d = 256, .dv = 256}, ragged);
  all.back().config.bm = 64;
  return all;
}

AttentionBackwardCase drawnAttentionBackward(uint64_t seed) {
  std::mt19937_64 random(seed);
  const Draw of(random);
  AttentionForm form;
  form.type = of(0, 1) ? bf16 : f16;
  form.d = of(64, 72, 80, 128, 192, 200, 240, 256);
  form.dv = of(form.d, form.d, 64, 128);
  if (of(0, 1))
    form.after = of(0, 0, 0, 5, 100);
  if (of(0, 0, 1))
    form.before = of(0, 7, 64, 200);
  auto length = [&] { return of(1, 3, 64, 113, 239, 300); };
  const int64_t hk = of(1, 1, 2);
  AttentionLengths lengths{of(1, 1, 2), hk * of(1, 2), hk, length(), length()};
  form.packed = of(0, 0, 1);
  if (form.packed)
    form.d = form.dv = of(64, 128);
  for (int64_t b = 0; b < lengths.b; ++b)
    lengths.sequences.push_back({length(), length()});
  AttentionBackwardConfig config = configFor(form);
  config.deterministic = of(0, 0, 1);
  if (config.apart)
    config.warpgroups = of(2, 3);
  config.dynamic = !config.deterministic && of(0, 1);
  if (config.warpgroups == 3 && form.d % 128 == 0 && !config.dynamic)
    config.cluster = of(1, 2);
  return {"seed " + std::to_string(seed), form, config, lengths};
}

} // namespace ashlar::test
