#include "test/kernels/AttentionCases.h"
#include "test/kernels/Draw.h"

#include "ashlar/ashlar.h"
#include "kernels/AttentionResources.h"

#include <algorithm>
#include <limits>
#include <random>
#include <sstream>

namespace ashlar::test {

std::string describe(const AttentionCase &tested) {
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
       << (form.sinks ? " sinks" : "")
       << (form.rescale_threshold ? " lagging" : "")
       << (form.packed ? " packed" : "")
       << (form.page ? " pages of " + std::to_string(*form.page) : "")
       << (tested.modifies ? " author's scores" : "")
       << (tested.masks ? " author's mask" : "") << ", " << tested.config.bm
       << "x" << tested.config.bn << " queries " << tested.config.queries
       << " ctas " << tested.config.ctas
       << (tested.config.dynamic ? " dynamic" : "")
       << (tested.config.early_launch ? " early" : "");
  const AttentionLengths &n = tested.lengths;
  if (form.group > 1)
    text << " groups of " << form.group;
  text << " in " << tested.splits << " parts, B " << n.b << " H " << n.h
       << " Hk " << n.hk << " Sq " << n.sq << " Sk " << n.sk;
  return text.str();
}

void addAuthors(AttentionCase &tested) {
  if (tested.modifies)
    tested.form.modify = [](const Fragment &score, const ScorePlace &place) {
      const Fragment other =
          score + convert(place.key, f32) * 0.01f +
          (convert(place.batch, f32) * 0.25f - convert(place.head, f32) * 0.5f);
      return select(place.key < (place.head & 1) * keysHiddenByScores,
                    -std::numeric_limits<float>::infinity(), other);
    };
  if (tested.masks)
    tested.form.mask = [](const ScorePlace &place) {
      return ((place.query - place.key) & 1) == 0 || place.row == place.key;
    };
}

namespace {

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

} // namespace

void splitUp(AttentionCase &tested, int64_t splits) {
  tested.config.splits = splits > 0;
  tested.splits = splits;
}

std::vector<AttentionCase> namedAttentionCases() {
  const AttentionLengths ragged{1, 2, 1, 150, 300};
  std::vector<AttentionCase> all;
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
  for (int64_t d : {8, 40, 72, 112, 136, 144, 208, 240})
    add("d " + std::to_string(d), {.d = d, .dv = d, .after = 0}, ragged);
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
  add("an author's scores with sinks", {.d = 64, .dv = 64, .sinks = true},
      {2, 2, 1, 130, 140}, true);
  for (int64_t dv : {8, 24, 40}) {
    add("dv " + std::to_string(dv) + " in parts", {.d = 64, .dv = dv},
        {2, 4, 2, 1, 300});
    splitUp(all.back(), 3);
  }
  add("an author's mask", {.d = 64, .dv = 64, .after = 0}, {1, 2, 1, 130, 140},
      false, true);
  const AttentionLengths several{
      4, 2, 1, 0, 0, {{150, 300}, {1, 113}, {130, 130}, {40, 3}}};
  add("packed", {.after = 0, .packed = true}, several);
  add("packed, d 144, dv 168",
      {.d = 144, .dv = 168, .after = 0, .packed = true}, several);
  add("packed, d 112", {.d = 112, .dv = 112, .after = 0, .packed = true},
      several);
  add("packed, pages, d 72, in 3 parts",
      {.d = 72, .dv = 72, .after = 0, .packed = true, .page = 16}, several);
  splitUp(all.back(), 3);
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
  add("a window that begins within a block of pages",
      {.d = 64, .dv = 64, .before = 7, .after = 0, .page = 16},
      {1, 2, 1, 5, 0, {{0, 100}}});
  AttentionCase three{"three warpgroups",
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
  auto addDynamic = [&](std::string name, AttentionForm form,
                        AttentionConfig config, AttentionLengths lengths) {
    config.dynamic = true;
    all.push_back({name + ", as CTAs get free", form, config, lengths});
  };
  addDynamic("causal", {.d = 64, .dv = 64, .after = 0},
             {.bm = 64, .bn = 64, .warpgroups = 1}, {3, 6, 2, 700, 700});
  addDynamic("causal, three warpgroups", three.form, three.config,
             {2, 2, 1, 400, 300});
  addDynamic("all keys", {}, {.bn = 64}, {2, 4, 4, 300, 100});
  addDynamic("packed", {.after = 0, .packed = true}, {.bn = 64}, several);
  addDynamic("pages, groups of heads",
             {.d = 64, .dv = 64, .group = 4, .after = 0, .page = 64},
             {.bm = 64, .bn = 64, .warpgroups = 1},
             {3, 8, 2, 40, 0, {{40, 300}, {40, 40}, {40, 77}}});
  AttentionLengths many{60, 4, 2, 0, 0, {}};
  for (int64_t b = 0; b < many.b; ++b)
    many.sequences.push_back({b == 7 ? 300 : b % 3 * 30, 40 + b});
  addDynamic("packed, more tiles than CTAs",
             {.d = 64, .dv = 64, .after = 0, .packed = true},
             {.bm = 64, .bn = 64, .warpgroups = 1}, many);
  addDynamic("packed, pages, more tiles than CTAs",
             {.d = 64, .dv = 64, .after = 0, .packed = true, .page = 16},
             {.bm = 64, .bn = 64, .warpgroups = 1}, many);
  addDynamic("two tiles of Q and two CTAs to an SM", {.d = 64, .dv = 64},
             {.bm = 64, .bn = 64, .warpgroups = 1, .queries = 2, .ctas = 2},
             {2, 150, 150, 3, 70});
  addDynamic("a window, latent, more tiles than CTAs",
             {.d = 128, .dv = 128, .latent = true, .before = 60},
             {.bm = 64, .bn = 32, .stages = 2, .apart = true},
             {1, 70, 1, 150, 150});
  addDynamic("no query", {.d = 64, .dv = 64}, {}, {1, 1, 1, 0, 100});
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
  addGrouped("groups of heads, d 176, dv 112",
             {.d = 176, .dv = 112, .group = 8}, 0, {2, 10, 2, 3, 300});
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
  AttentionCase eager{"eager", {.after = 0}, {.bn = 96, .eager = true}, ragged};
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
  add("e4m3, packed, dv 224",
      {.type = e4m3, .d = 96, .dv = 224, .packed = true}, several);
  add("e4m3, packed, d 80", {.type = e4m3, .d = 80, .dv = 80, .packed = true},
      several);
  add("e4m3, dv 208", {.type = e4m3, .d = 64, .dv = 208}, ragged);
  add("e4m3, sinks and slopes",
      {.type = e4m3, .after = 0, .alibi = true, .sinks = true}, ragged);
  for (int64_t page : {64, 256}) {
    add("e4m3, packed, pages of " + std::to_string(page),
        {.type = e4m3, .after = 0, .packed = true, .page = page}, several);
  }
  all.push_back({"e4m3, blocks of 192 keys",
                 {.type = e4m3},
                 {.bn = 192, .stages = 4, .eager = true},
                 {1, 2, 1, 150, 700}});
  all.push_back({"e4m3, d 256, not eager",
                 {.type = e4m3, .d = 256, .dv = 256, .after = 0},
                 {.bn = 96, .stages = 4},
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
  add("e4m3, d 192, a window, pages, in 5 parts",
      {.type = e4m3, .d = 192, .dv = 192, .before = 200, .page = 32},
      {1, 2, 1, 113, 0, {{113, 300}}});
  splitUp(all.back(), 5);
  return all;
}

AttentionCase drawnAttention(uint64_t seed) {
  std::mt19937_64 random(seed);
  const Draw of(random);
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
  AttentionCase result{"seed " + std::to_string(seed),
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
  result.config.dynamic = !splits && of(0, 1);
  result.config.early_launch = of(0, 1);
  if (!isOf8Bits(form))
    result.form.rescale_threshold = of(0, 0, 1, 8);
  return result;
}

AttentionCase withDrawnHeads(AttentionCase tested, uint64_t seed) {
  std::mt19937_64 random(seed);
  AttentionForm &form = tested.form;
  const int64_t step = leastKeys(form) / 2;
  auto drawn = [&] { return step * int64_t(1 + random() % (256 / step)); };
  form.d = drawn();
  form.dv = random() % 2 ? form.d : drawn();
  return tested;
}

AttentionCase drawnLatentAttention(uint64_t seed) {
  AttentionCase result = drawnAttention(seed);
  std::mt19937_64 random(~seed);
  const Draw of(random);
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
  result.config.dynamic =
      !result.splits && tilesOfGroup(form, result.config) == 1 && of(0, 1);
  return result;
}

AttentionSizes sizesOf(const AttentionForm &form, const AttentionLengths &n) {
  const AttentionLayout at{form, n};
  AttentionSizes sizes{n.b, n.h, n.hk, at.mostQueries(), 0};
  for (int64_t b = 0; b < n.b; ++b)
    sizes.keys = std::max(sizes.keys, at.keys(b));
  return sizes;
}

void choose(AttentionCase &tested, const AttentionSizes &sizes) {
  addAuthors(tested);
  const AttentionChoice choice = attention_auto(tested.form, sizes);
  tested.form.group = choice.group;
  tested.config = choice.config;
  splitUp(tested, choice.splits);
}

} // namespace ashlar::test
