#include "GemmResources.h"
#include "GemmTiling.h"
#include "ashlar/gemm_auto.h"

#include <algorithm>

namespace ashlar {

namespace {

constexpr int64_t mostStages = 12, fewestStages = 2, stepsToSplit = 2;
/// More rows of D than this are cut well by `bm`.
constexpr int64_t mostSwappedRows = 256;
/// Stages of small tiles may be twice as deep as one swizzle atom.
constexpr int64_t depthBytes[] = {128, 256}, mostBytesOfDeepStage = 40 << 10;

struct Tile {
  int64_t bm, bn, warpgroups;
  bool ping_pong = false, swapped = false;
};

constexpr Tile tiles[] = {
    {128, 256, 2},       {256, 128, 2},       {128, 224, 2},
    {128, 192, 2},       {128, 160, 2},       {128, 128, 2},
    {128, 96, 2},        {128, 64, 2},        {256, 64, 2},
    {64, 256, 1},        {64, 192, 1},        {64, 128, 1},
    {64, 96, 1},         {64, 64, 1},         {64, 32, 1},
    {64, 256, 2, true},  {64, 192, 2, true},  {64, 128, 2, true},
    {128, 192, 2, true}, {128, 128, 2, true}, {128, 64, 2, true},
};

constexpr int64_t swappedColumns[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256};

/// Tiles of Dᵀ that cut the rows of D into no more than four.
template <typename Visit> void visitSwapped(int64_t m, Visit visit) {
  for (int64_t columns : swappedColumns) {
    if (4 * columns < m)
      continue;
    visit(Tile{64, columns, 1, false, true});
    visit(Tile{128, columns, 2, false, true});
    if (columns >= m)
      return;
  }
}

/// The configurations of one problem, one after another.
template <typename Visit> class Enumeration {
public:
  Enumeration(const GemmSizes &sizes, const GemmTypes &types, Visit visit)
      : sizes(sizes), types(types), visit(visit) {}

  void run() {
    for (const Tile &tile : tiles)
      withTile(tile);
    if (sizes.m <= mostSwappedRows)
      visitSwapped(sizes.m, [&](const Tile &tile) { withTile(tile); });
  }

private:
  void withTile(const Tile &tile) {
    GemmConfig c;
    c.bm = tile.bm, c.bn = tile.bn, c.warpgroups = tile.warpgroups;
    c.ping_pong = tile.ping_pong, c.swapped = tile.swapped;
    c.store_columns = storeColumns(c.bn);
    for (int64_t bytes : depthBytes) {
      c.bk = bytes / size_bytes(types.a);
      if (!isDepthUseful(c, bytes))
        continue;
      c.group = bestGroup(c);
      withSplits(c);
    }
  }

  /// The most that one box takes.
  int64_t storeColumns(int64_t bn) const {
    int64_t columns = 128 / size_bytes(types.d);
    while (columns > 1 && bn % columns)
      columns /= 2;
    return columns;
  }

  bool isDepthUseful(const GemmConfig &c, int64_t bytes) const {
    return bytes == depthBytes[0] ||
           (stageBytes(types, c) <= mostBytesOfDeepStage &&
            sizes.k >= 2 * c.bk && !isPromoted(types));
  }

  /// K is split where there are too few tiles for all multiprocessors.
  void withSplits(GemmConfig c) {
    const GpuModel gpu = h200();
    const GemmTiling tiling(sizes, c, gpu);
    // With one tile for each CTA there is no epilogue to hide.
    if (c.ping_pong && tiling.turns() == 1)
      return;
    for (int64_t split : {1, 2, 4, 8}) {
      const bool useful =
          tiling.rows * tiling.columns * split <= gpu.multiprocessors &&
          tiling.steps >= stepsToSplit * split && !c.ping_pong;
      if (split > 1 && !useful)
        return;
      c.split = split;
      withClusters(c, tiling);
    }
  }

  void withClusters(GemmConfig c, const GemmTiling &tiling) {
    for (int64_t m : {1, 2, 4})
      for (int64_t n : {1, 2, 4})
        if (m <= tiling.rows && n <= tiling.columns) {
          c.cluster_m = m, c.cluster_n = n;
          withBuffers(c);
        }
  }

  /// One buffer for stores where that makes room for another stage.
  void withBuffers(GemmConfig c) {
    c.store_buffers = std::min<int64_t>(2, c.bn / c.store_columns);
    const int64_t stages = withStages(c);
    if (c.store_buffers == 1 || stages >= 6)
      return;
    c.store_buffers = 1;
    if (stagesThatFit(c) > stages)
      withStages(c);
  }

  int64_t withStages(GemmConfig &c) {
    c.stages = stagesThatFit(c);
    if (c.stages >= fewestStages && why_not(sizes, types, c).empty())
      visit(c);
    return c.stages;
  }

  int64_t stagesThatFit(GemmConfig c) const {
    const GpuModel gpu = h200();
    c.stages = 0;
    const int64_t left = gpu.shared_bytes - sharedBytes(types, c, gpu);
    return std::min(std::max<int64_t>(left, 0) / stageBytes(types, c),
                    mostStages);
  }

  /// The one that reads DRAM least, the usual one among equals.
  int64_t bestGroup(GemmConfig c) const {
    const GpuModel gpu = h200();
    const GemmTiling tiling(sizes, c, gpu);
    int64_t best = 8;
    double least = 0;
    for (int64_t group : {8, 16, 4, 32, 2, 1}) {
      c.group = group;
      const double bytes = dramBytes(sizes, types, c, tiling, gpu);
      if (group == 8 || bytes < least)
        best = group, least = bytes;
    }
    return best;
  }

  const GemmSizes &sizes;
  const GemmTypes &types;
  Visit visit;
};

template <typename Visit>
void visitCandidates(const GemmSizes &sizes, const GemmTypes &types,
                     Visit visit) {
  Enumeration<Visit>(sizes, types, visit).run();
}

} // namespace

std::vector<GemmConfig> gemm_candidates(const GemmSizes &sizes,
                                        const GemmTypes &types) {
  struct Rated {
    GemmConfig config;
    double microseconds;
  };
  std::vector<Rated> rated;
  visitCandidates(sizes, types, [&](const GemmConfig &config) {
    rated.push_back({config, gemm_cost(sizes, types, config).total});
  });
  std::ranges::stable_sort(rated, {}, &Rated::microseconds);
  std::vector<GemmConfig> configs;
  for (const Rated &candidate : rated)
    configs.push_back(candidate.config);
  return configs;
}

GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types) {
  GemmConfig best;
  double least = 0;
  visitCandidates(sizes, types, [&](const GemmConfig &config) {
    const double total = gemm_cost(sizes, types, config).total;
    if (least == 0 || total < least)
      best = config, least = total;
  });
  if (least == 0)
    throw Error("no configuration of gemm multiplies " +
                std::string(name(types.a)) + " with " +
                std::string(name(types.b)) +
                ": use operands of one size of 1, 2 or 4 bytes");
  return best;
}

GemmConfig gemm_auto(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmTable &table) {
  const std::optional<TunedGemm> tuned = table.find(sizes, types);
  return tuned ? tuned->config : gemm_auto(sizes, types);
}

} // namespace ashlar
