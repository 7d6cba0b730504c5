#include "runtime/sim/ptx/Special.h"

#include "runtime/sim/ptx/Characters.h"

#include <algorithm>
#include <array>

namespace ashlar::sim::ptx {

namespace {

constexpr std::array<std::string_view, 8> vectors = {
    "%tid",       "%ntid",       "%ctaid",         "%nctaid",
    "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};

constexpr std::array<std::string_view, 27> scalars = {
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
};

// "%envreg0" to "%envreg31": whether the name is the prefix and a number of at
// most two digits below `count`.
bool isNumbered(std::string_view name, std::string_view prefix, int count) {
  if (!name.starts_with(prefix))
    return false;
  name.remove_prefix(prefix.size());
  if (name.empty() || name.size() > 2 ||
      !std::all_of(name.begin(), name.end(), isDigit) ||
      (name.size() == 2 && name[0] == '0'))
    return false;
  int number = 0;
  for (char digit : name)
    number = number * 10 + (digit - '0');
  return number < count;
}

} // namespace

bool isSpecial(std::string_view name) {
  std::string_view counter = name;
  if (counter.ends_with("_64"))
    counter.remove_suffix(3);
  return isSpecialVector(name) ||
         std::find(scalars.begin(), scalars.end(), name) != scalars.end() ||
         isNumbered(name, "%envreg", 32) || isNumbered(counter, "%pm", 8) ||
         isNumbered(name, "%reserved_smem_offset_", 2);
}

bool isSpecialVector(std::string_view name) {
  return std::find(vectors.begin(), vectors.end(), name) != vectors.end();
}

} // namespace ashlar::sim::ptx
