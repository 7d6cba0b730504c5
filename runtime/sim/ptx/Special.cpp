#include "runtime/sim/ptx/Special.h"

#include "runtime/sim/ptx/Characters.h"

#include <algorithm>

namespace ashlar::sim::ptx {

namespace {

using enum SpecialRegister;

constexpr Special vector(std::string_view name, SpecialRegister which) {
  return {.name = name, .which = which, .isVector = true};
}

constexpr Special rows[] = {
    vector("%tid", tid),
    vector("%ntid", ntid),
    vector("%ctaid", ctaid),
    vector("%nctaid", nctaid),
    vector("%clusterid", clusterid),
    vector("%nclusterid", nclusterid),
    vector("%cluster_ctaid", clusterCtaid),
    vector("%cluster_nctaid", clusterNctaid),
    {"%cluster_ctarank", clusterCtarank},
    {"%cluster_nctarank", clusterNctarank},
    {"%is_explicit_cluster", isExplicitCluster, Type::pred},
    {"%laneid", laneid},
    {"%warpid", warpid},
    {"%nwarpid", nwarpid},
    {"%smid", smid},
    {"%nsmid", nsmid},
    {"%gridid", gridid, Type::u64},
    {"%lanemask_eq", lanemaskEq},
    {"%lanemask_le", lanemaskLe},
    {"%lanemask_lt", lanemaskLt},
    {"%lanemask_ge", lanemaskGe},
    {"%lanemask_gt", lanemaskGt},
    {"%total_smem_size", totalSmemSize},
    {"%dynamic_smem_size", dynamicSmemSize},
    {"%aggr_smem_size", aggrSmemSize},
    {"%reserved_smem_offset_begin", reservedSmemBegin},
    {"%clock", time},
    {"%clock_hi", timeHigh},
    {"%clock64", time, Type::u64},
    {"%globaltimer", time, Type::u64},
    {"%globaltimer_lo", time},
    {"%globaltimer_hi", timeHigh},
    {"%reserved_smem_offset_end", notSimulated},
    {"%reserved_smem_offset_cap", notSimulated},
    {.name = "%reserved_smem_offset_", .which = notSimulated, .count = 2},
    {"%current_graph_exec", notSimulated, Type::u64},
    {.name = "%envreg", .which = notSimulated, .count = 32},
    {.name = "%pm", .which = notSimulated, .count = 8},
    {.name = "%pm",
     .which = notSimulated,
     .type = Type::u64,
     .count = 8,
     .suffix = "_64"},
};

/// Whether the text is a number of at most two digits below `count`.
bool isNumber(std::string_view text, int count) {
  if (text.empty() || text.size() > 2 ||
      !std::all_of(text.begin(), text.end(), isDigit) ||
      (text.size() == 2 && text[0] == '0'))
    return false;
  int number = 0;
  for (char digit : text)
    number = number * 10 + (digit - '0');
  return number < count;
}

bool isNamed(const Special &special, std::string_view name) {
  if (special.count == 0)
    return name == special.name;
  if (!name.starts_with(special.name) || !name.ends_with(special.suffix))
    return false;
  name.remove_prefix(special.name.size());
  name.remove_suffix(special.suffix.size());
  return isNumber(name, special.count);
}

} // namespace

const Special *specialNamed(std::string_view name) {
  const auto *found = std::find_if(
      std::begin(rows), std::end(rows),
      [&](const Special &special) { return isNamed(special, name); });
  return found == std::end(rows) ? nullptr : found;
}

} // namespace ashlar::sim::ptx
