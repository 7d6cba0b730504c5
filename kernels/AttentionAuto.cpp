#include "ashlar/attention_auto.h"

#include "compiler/target/Target.h"
#include "kernels/AttentionResources.h"

#include "ashlar/error.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>

namespace ashlar {

namespace {

constexpr int64_t mostSplits = 64, mostKeys = 192;
/// Columns of O that a warpgroup has registers for.
constexpr int64_t widestOfWarpgroup = 256;
constexpr double mostMicrosecondsOfEarly = 40;

class Candidates {
public:
  Candidates(const AttentionForm &form, const AttentionSizes &sizes,
             const GpuModel &gpu)
      : given(form), form(formOfTiles(form)), sizes(sizes), gpu(gpu) {}

  std::vector<AttentionChoice> all() {
    const int64_t shared = sizes.heads / sizes.keyHeads;
    const int64_t packed = std::bit_ceil(uint64_t(shared));
    for (bool spilled : {false, true})
      if (choices.empty()) {
        maySpill = spilled;
        addGroup(1);
        if (packed > 1)
          addGroup(packed);
      }
    std::ranges::stable_sort(choices, {}, [](const AttentionChoice &choice) {
      return choice.cost.total;
    });
    return choices;
  }

private:
  void addGroup(int64_t group) {
    AttentionForm grouped = given;
    grouped.group = group;
    if (form.dv > widestOfWarpgroup)
      return addApart(grouped);
    for (int64_t warpgroups : {1, 2, 3})
      for (int64_t ctas : {1, 2})
        for (int64_t bn = leastKeys(form); bn <= mostKeys;
             bn += leastKeys(form))
          for (bool splits : {false, true})
            for (int64_t queries : {1, 2})
              for (bool eager : {false, true})
                for (bool dynamic : {false, true})
                  if (isTried(eager) && (!dynamic || isTriedDynamic(splits)))
                    addStages(grouped, {.bm = target::wgmmaRows * warpgroups,
                                        .bn = bn,
                                        .warpgroups = warpgroups,
                                        .splits = splits,
                                        .queries = queries,
                                        .ctas = ctas,
                                        .eager = eager,
                                        .dynamic = dynamic});
  }

  /// Whether some tiles have more keys than others.
  bool isUneven() const {
    return form.packed || form.after.has_value() != form.before.has_value();
  }

  bool isTriedDynamic(bool splits) const {
    return !splits && (isUneven() || isOf8Bits(form));
  }

  /// Of 8 bits both, which are the same where all columns are added at once.
  bool isTried(bool eager) const {
    if (isOf8Bits(form))
      return eager || sumColumns(form) < form.dv;
    return eager == (std::max(form.d, form.dv) > 128);
  }

  void addApart(const AttentionForm &grouped) {
    for (int64_t bn = leastKeys(form); bn <= mostKeys; bn += leastKeys(form))
      for (bool splits : {false, true})
        for (int64_t queries : {1, 2})
          for (bool eager : {false, true})
            addStages(grouped, {.bm = target::wgmmaRows,
                                .bn = bn,
                                .warpgroups = 2,
                                .apart = true,
                                .splits = splits,
                                .queries = queries,
                                .eager = eager});
  }

  /// As many as there is room for, and as many as leave O stages of its own.
  void addStages(const AttentionForm &grouped, AttentionConfig config) {
    const AttentionForm tiles = formOfTiles(grouped);
    config.stages = mostStages(tiles, config);
    if (config.stages < leastStages(tiles, config) ||
        !notBuildable(grouped, config).empty() ||
        !(fitsRegisters(tiles, config) || isLeast(config)))
      return;
    addSplits(grouped, config);
    if (!replacesQuery(tiles, config))
      return;
    while (replacesQuery(tiles, config))
      --config.stages;
    if (config.stages >= leastStages(tiles, config))
      addSplits(grouped, config);
  }

  /// What spills least, where everything does.
  bool isLeast(const AttentionConfig &config) const {
    return maySpill && config.bn == leastKeys(form) && config.warpgroups <= 2 &&
           config.ctas == 1 && (config.eager || !isOf8Bits(form));
  }

  /// As many parts as are fastest.
  void addSplits(const AttentionForm &grouped, const AttentionConfig &config) {
    std::optional<AttentionChoice> best;
    for (int64_t splits = config.splits ? 2 : 0;
         splits <= (config.splits ? mostSplits : 0); ++splits) {
      AttentionChoice choice{grouped.group, config, splits, {}};
      if (2 * partBytes(grouped, choice) > tensorBytes())
        break;
      choice.cost = attention_cost(grouped, sizes, choice, gpu);
      if (!best || choice.cost.total < best->cost.total)
        best = choice;
    }
    if (!best)
      return;
    best->config.early_launch = isEarlyUseful(*best);
    choices.push_back(*best);
  }

  /// What it saves, 0.2 to 1.2 µs, counts in a short launch. Of two warpgroups
  /// to a tile it is not known: it was timed before they began in order.
  static bool isEarlyUseful(const AttentionChoice &choice) {
    return choice.cost.hot < mostMicrosecondsOfEarly &&
           (choice.splits || choice.config.warpgroups == 1);
  }

  /// A workspace of more than half of all tensors is too much for the few
  /// percent that parts are worth where tiles are many.
  int64_t partBytes(const AttentionForm &grouped,
                    const AttentionChoice &choice) const {
    const auto [tiles, rows, columns] =
        part_sizes(grouped, choice.config, sizes);
    return choice.splits * tiles * rows * columns * size_bytes(f32);
  }
  int64_t tensorBytes() const {
    return sizes.sequences *
           (sizes.heads * sizes.queries + sizes.keyHeads * sizes.keys) *
           (given.d + given.dv) * size_bytes(form.type);
  }

  const AttentionForm &given;
  const AttentionForm form; ///< of tiles
  const AttentionSizes &sizes;
  const GpuModel &gpu;
  std::vector<AttentionChoice> choices;
  bool maySpill = false;
};

} // namespace

std::string notSizes(const AttentionSizes &sizes) {
  auto text = [](int64_t number) { return std::to_string(number); };
  if (const std::string why =
          notCountable({{sizes.sequences, "number of sequences"},
                        {sizes.heads, "number of heads of Q (heads)"},
                        {sizes.keyHeads, "number of heads of K (keyHeads)"}},
                       std::numeric_limits<int32_t>::max());
      !why.empty())
    return why;
  if (sizes.queries < 0 || sizes.keys < 0)
    return "there are " + text(sizes.queries) + " queries and " +
           text(sizes.keys) + " keys: say no fewer than 0";
  if (sizes.heads % sizes.keyHeads)
    return "the " + text(sizes.heads) + " heads of Q are no multiple of the " +
           text(sizes.keyHeads) + " of K that they share";
  return "";
}

/// Why not even the smallest configuration can be built.
static std::string notSmallest(const AttentionForm &given) {
  const AttentionForm form = formOfTiles(given);
  const bool isApart = form.dv > widestOfWarpgroup;
  AttentionConfig least{.bm = target::wgmmaRows,
                        .bn = leastKeys(form),
                        .warpgroups = isApart ? 2 : 1,
                        .apart = isApart};
  least.stages = leastStages(form, least);
  return notBuildable(given, least);
}

std::vector<AttentionChoice> attention_candidates(const AttentionForm &form,
                                                  const AttentionSizes &sizes,
                                                  const GpuModel &gpu) {
  if (!notSizes(sizes).empty() ||
      !notCountable({{form.d, ""}, {form.dv, ""}, {form.page.value_or(1), ""}})
           .empty())
    return {};
  return Candidates(form, sizes, gpu).all();
}

AttentionChoice attention_auto(const AttentionForm &form,
                               const AttentionSizes &sizes, const GpuModel &gpu,
                               SourceLocation where) {
  if (const std::string why = notSizes(sizes); !why.empty())
    throw Error({where.file_name(), where.line(), where.column()},
                "attention_auto: " + why);
  const std::vector<AttentionChoice> choices =
      attention_candidates(form, sizes, gpu);
  if (isOf8Bits(form) && form.page && *form.page % leastKeys(form))
    throw Error({where.file_name(), where.line(), where.column()},
                "attention_auto finds no configuration for pages of " +
                    std::to_string(*form.page) +
                    " keys of e4m3, which do not hold whole blocks: use a "
                    "multiple of " +
                    std::to_string(leastKeys(form)));
  if (choices.empty()) {
    std::string why = notSmallest(form);
    if (why.empty())
      why =
          "no block of " + std::to_string(leastKeys(form)) +
          " keys or more leaves registers and shared memory for the rest; say "
          "fewer things of the form, or give a configuration of your own";
    throw Error({where.file_name(), where.line(), where.column()},
                "attention_auto finds no configuration for heads of " +
                    std::to_string(form.d) + " and " + std::to_string(form.dv) +
                    ": " + why);
  }
  return choices.front();
}

std::string why(const std::vector<AttentionChoice> &candidates, int64_t most) {
  std::string text =
      "group splits    bm    bn stages warpgroups apart queries ctas eager "
      "dynamic early |"
      "    math exposed    load  memory latency combine |    cold     hot"
      "   total us\n";
  for (const AttentionChoice &choice : candidates) {
    if (most-- == 0)
      break;
    const AttentionConfig &c = choice.config;
    const AttentionCost &us = choice.cost;
    char line[192];
    std::snprintf(
        line, sizeof line,
        "%5d %6d %5d %5d %6d %10d %5d %7d %4d %5d %7d %5d |%8.1f%8.1f%8.1f%8.1f"
        "%8.1f%8.1f |%8.1f%8.1f%11.1f\n",
        int(choice.group), int(choice.splits), int(c.bm), int(c.bn),
        int(c.stages), int(c.warpgroups), int(c.apart), int(c.queries),
        int(c.ctas), int(c.eager), int(c.dynamic), int(c.early_launch), us.math,
        us.exposed, us.load, us.memory, us.latency, us.combine, us.cold, us.hot,
        us.total);
    text += line;
  }
  return text;
}

} // namespace ashlar
