#include "GemmLocality.h"
#include "GemmResources.h"
#include "GemmTiling.h"

#include <algorithm>
#include <utility>

namespace ashlar {

namespace {

/// Rows of tiles that the raster groups.
constexpr int64_t squareGroup = 4, largeGroup = 32, mostKOfLargeGroups = 2048;
/// Of all matrices, from one launch to the next, where an operand is larger
/// than L2, and of this operand the least. Of one that is many times larger it
/// is better to keep what happens to stay.
constexpr int64_t bytesToKeep = 18'000'000, leastOfOperand = 14'000'000,
                  mostBytesOfKeptOperand = 450'000'000;
/// Of both operands, which SMs find in L2 as fast if others have loaded them
/// before.
constexpr int64_t bytesInReachOfAll = 7'000'000;
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

  /// Sixteenths of the operands whose rows are the tiles' rows and columns.
  int64_t keptOfRows() const {
    return keptSixteenths(c.swapped ? sizes.n : sizes.m, tiling.columns,
                          c.cluster_n);
  }
  int64_t keptOfColumns() const {
    return keptSixteenths(c.swapped ? sizes.m : sizes.n, tiling.rows,
                          c.cluster_m);
  }

  /// The next launch's CTAs come to other SMs than this one's, and find less of
  /// what they want in their part of L2. Not so where all of them find room at
  /// once, or where two grids fit beside each other, which then alternate. Nor
  /// does it matter to what is little, or read once by a grid of all SMs that
  /// are done with it at about the same time.
  bool isEarlyUseful() const {
    if (isNextBeside(types, form, c))
      return true;
    if (tiling.clusters >= tiling.slots)
      return c.swapped && tiling.columns == 1 &&
             bytesOfOperands + bytesOfResult <= bytesInL2 &&
             (tiling.leftClusters == 0 ||
              tiling.leftClusters * 4 >= tiling.slots * 3);
    return tiling.leavesHalf(h200()) || bytesOfOperands <= bytesInReachOfAll;
  }

private:
  /// Of an operand of `extent` times K: all of it where L2 holds it, or where
  /// its readers, so many CTAs of which a cluster has `together`, do not want
  /// it at the same time; else as much as L2 holds on to until the next launch,
  /// if that is worth while.
  int64_t keptSixteenths(int64_t extent, int64_t readers,
                         int64_t together) const {
    const int64_t bytes = operandBytes(sizes, types, extent);
    const int64_t atOnce = tiling.ctas == 1 ? mostAtOnce : together;
    if (bytes <= h200().l2_bytes || bytes > mostBytesOfKeptOperand ||
        readers > atOnce)
      return 16;
    const int64_t others = bytesOfOperands - bytes + bytesOfResult;
    const int64_t kept = std::max(bytesToKeep - others, leastOfOperand);
    const int64_t sixteenths = (16 * kept + bytes / 2) / bytes;
    return sixteenths == 0 ? 16 : sixteenths;
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
  config.kept_a = locality.keptOfRows();
  config.kept_b = locality.keptOfColumns();
  if (config.swapped)
    std::swap(config.kept_a, config.kept_b);
  config.early_launch = locality.isEarlyUseful();
}

bool isNextBeside(const GemmTypes &types, const GemmForm &form,
                  const GemmConfig &config) {
  return config.cluster_m * config.cluster_n * config.split == 1 &&
         fitsTwice(types, config, form, h200());
}

} // namespace ashlar
