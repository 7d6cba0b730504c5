#include "GemmLocality.h"
#include "GemmResources.h"
#include "GemmTiling.h"

#include <algorithm>
#include <utility>

namespace ashlar {

namespace {

/// Rows of tiles that the raster groups.
constexpr int64_t squareGroup = 4, largeGroup = 32, mostKOfLargeGroups = 2048;
/// Of an operand that is many times larger than L2 it is better to keep what
/// happens to stay.
constexpr int64_t mostBytesOfKeptOperand = 450'000'000;
/// Of both operands, which SMs find in L2 as fast if others have loaded them
/// before; and where part of the SMs have CTAs that are in no cluster.
constexpr int64_t bytesInReachOfAll = 7'000'000, bytesInReachOfOne = 1'000'000;
/// Of all matrices, which are there for the next launch.
constexpr int64_t bytesInL2 = 40'000'000;
/// CTAs beside each other that want the same bytes at the same time, where they
/// are no clusters.
constexpr int64_t mostAtOnce = 4;

class Locality {
public:
  Locality(const GemmSizes &sizes, const GemmTypes &types, const GemmForm &form,
           const GemmConfig &config)
      : sizes(sizes), types(types), form(form), c(config),
        tiling(sizes, config, h200()),
        bytesOfOperands(operandBytes(sizes, types, sizes.m + sizes.n)),
        bytesOfResult(static_cast<int64_t>(resultBytes(sizes, types, form))) {}

  /// Swapped, the few that want the same weights are next to each other. In a
  /// single wave sixteen neighbours seem to share a GPC, and what several of a
  /// GPC want to cost L2 less: the least that is for a square of tiles. Where K
  /// is short, the D of a group is more than L2 holds beside the columns'
  /// operand: few large groups then.
  int64_t group() const {
    if (c.swapped && tiling.columns <= mostAtOnce)
      return tiling.ctas == 1 ? 1 : GemmConfig().group;
    if (tiling.waves() == 1)
      return squareGroup;
    return sizes.k <= mostKOfLargeGroups ? largeGroup / c.cluster_m
                                         : GemmConfig().group;
  }

  std::vector<GemmConfig> eachKept() const {
    std::vector<GemmConfig> each;
    for (int64_t ofRows : keptSixteenths(c.swapped ? sizes.n : sizes.m,
                                         tiling.columns, c.cluster_n))
      for (int64_t ofColumns : keptSixteenths(c.swapped ? sizes.m : sizes.n,
                                              tiling.rows, c.cluster_m)) {
        each.push_back(c);
        each.back().kept_a = c.swapped ? ofColumns : ofRows;
        each.back().kept_b = c.swapped ? ofRows : ofColumns;
      }
    return each;
  }

  /// The next launch's CTAs come to other SMs than this one's, and find less of
  /// what they want in their part of L2. Not so where all of them find room at
  /// once, or where two grids fit beside each other, which then alternate. Nor
  /// does it matter to what is little, or read once by a grid of all SMs that
  /// are done with it at about the same time. What a cluster shares does not
  /// depend on who its neighbours are.
  bool isEarlyUseful() const {
    const int64_t taken = std::min(tiling.clusters, tiling.slots) * tiling.ctas;
    const bool isNearlyAll = taken * 6 >= h200().sm_count * 5;
    const int64_t inReach = isNearlyAll        ? bytesInReachOfAll * tiling.ctas
                            : tiling.ctas == 1 ? bytesInReachOfOne
                                               : bytesInReachOfAll;
    if (isNextBeside(types, form, c) || bytesOfOperands <= inReach)
      return true;
    if (tiling.clusters >= tiling.slots)
      return c.swapped && tiling.columns == 1 &&
             bytesOfOperands + bytesOfResult <= bytesInL2 &&
             (tiling.leftClusters == 0 ||
              tiling.leftClusters * 4 >= tiling.slots * 3);
    return tiling.leavesHalf();
  }

private:
  /// Of an operand of `extent` times K whose readers, so many CTAs of which a
  /// cluster has `together`, want it at the same time: all, what stays beside
  /// the rest where not all does, and nothing. Of others, and of what L2 holds
  /// beside anything, all.
  std::vector<int64_t> keptSixteenths(int64_t extent, int64_t readers,
                                      int64_t together) const {
    const GpuModel gpu = h200();
    const int64_t bytes = operandBytes(sizes, types, extent),
                  others = bytesOfOperands - bytes + bytesOfResult;
    const auto resident = static_cast<int64_t>(gpu.resident_bytes),
               besideStreams = static_cast<int64_t>(gpu.resident_bytes *
                                                    gpu.beside_streams);
    const int64_t atOnce = tiling.ctas == 1 ? mostAtOnce : together;
    if (bytes <= besideStreams || bytes > mostBytesOfKeptOperand ||
        readers > atOnce)
      return {16};
    const int64_t part =
        16 * std::max<int64_t>(besideStreams - others, 0) / bytes;
    if (bytes + others <= resident || part == 0)
      return {16, 0};
    return {16, part, 0};
  }

  const GemmSizes &sizes;
  const GemmTypes &types;
  const GemmForm &form;
  const GemmConfig &c;
  GemmTiling tiling;
  int64_t bytesOfOperands, bytesOfResult;
};

} // namespace

void setLocality(const GemmSizes &sizes, const GemmTypes &types,
                 const GemmForm &form, GemmConfig &config) {
  const Locality locality(sizes, types, form, config);
  config.group = locality.group();
  config.early_launch = locality.isEarlyUseful();
}

std::vector<GemmConfig> eachKept(const GemmSizes &sizes, const GemmTypes &types,
                                 const GemmForm &form,
                                 const GemmConfig &config) {
  return Locality(sizes, types, form, config).eachKept();
}

bool isNextBeside(const GemmTypes &types, const GemmForm &form,
                  const GemmConfig &config) {
  return config.cluster_m * config.cluster_n * config.split == 1 &&
         fitsTwice(types, config, form, h200());
}

} // namespace ashlar
