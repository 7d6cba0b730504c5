#include "runtime/Grid.h"

#include "runtime/Text.h"

#include <algorithm>
#include <limits>

namespace ashlar {
namespace {

constexpr int64_t maxBlocks = std::numeric_limits<int32_t>::max();
/// A CTA counts them in 31 bits, and goes a step beyond the last.
constexpr int64_t maxClusters = int64_t(1) << 30;

int64_t ceilDiv(int64_t numerator, int64_t denominator) {
  return numerator / denominator + (numerator % denominator != 0);
}

/// The product, or the greatest number when it is greater than that.
int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<int64_t>::max()
             : product;
}

} // namespace

int64_t valueOf(const Extent &extent, std::span<const int64_t> sizes) {
  return extent.size < 0 ? extent.constant
                         : sizes[static_cast<size_t>(extent.size)];
}

int64_t clusterSize(const GridRule &rule) {
  int64_t blocks = 1;
  for (int64_t length : rule.cluster)
    blocks = saturatingProduct(blocks, length);
  return blocks;
}

/// The clusters that a loop wants.
static int64_t clustersOf(const Artifact &artifact, const TileSpace &space,
                          std::span<const int64_t> sizes,
                          int64_t residentClusters) {
  if (space.extents.empty())
    return residentClusters;
  const std::vector<int64_t> &cluster = artifact.grid.cluster;
  int64_t clusters = 1;
  bool empty = false;
  for (size_t d = 0; d < space.extents.size(); ++d) {
    int64_t tiles = ceilDiv(valueOf(space.extents[d], sizes), space.tile[d]);
    empty |= tiles == 0;
    clusters = saturatingProduct(
        clusters, ceilDiv(tiles, d < cluster.size() ? cluster[d] : int64_t(1)));
  }
  if (empty)
    return 0;
  if (clusters > maxClusters)
    throw Error(artifact.where,
                concat("kernel '", artifact.name, "': the problem has ",
                       clusters,
                       clusterSize(artifact.grid) > 1 ? " clusters of" : "",
                       " tiles, and a kernel counts to ", maxClusters,
                       ": use larger tiles or split the problem"));
  return space.persistent ? std::min(clusters, residentClusters) : clusters;
}

Grid computeGrid(const Artifact &artifact, std::span<const int64_t> sizes,
                 int64_t residentClusters) {
  const GridRule &rule = artifact.grid;
  const int64_t blocksPerCluster = clusterSize(rule);
  int64_t clusters = rule.spaces.empty() ? 1 : 0;
  for (const TileSpace &space : rule.spaces)
    clusters = std::max(clusters,
                        clustersOf(artifact, space, sizes, residentClusters));
  if (clusters == 0)
    return {};
  int64_t blocks = saturatingProduct(clusters, blocksPerCluster);
  if (blocks > maxBlocks)
    throw Error(artifact.where,
                concat("kernel '", artifact.name,
                       "': the problem needs more than ", maxBlocks,
                       " blocks, the most a launch can have: use larger tiles, "
                       "a persistent grid "
                       "or split the problem"));
  return {static_cast<uint32_t>(blocks),
          static_cast<uint32_t>(blocksPerCluster)};
}

} // namespace ashlar
