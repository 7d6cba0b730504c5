#include "GemmCandidates.h"
#include "GemmResources.h"
#include "GemmTiling.h"
#include "ashlar/gemm_auto.h"

#include <algorithm>
#include <utility>

namespace ashlar {

namespace {

constexpr int64_t mostStages = 12, fewestStages = 2, stepsToSplit = 2;
/// With as many no smaller staging is tried for another one.
constexpr int64_t enoughStages = 6;
/// More rows of D than this are cut well by `bm`.
constexpr int64_t mostSwappedRows = 256;
/// Of more, tiles of 64 rows in ping-pong were the fastest of none of the
/// problems that were measured.
constexpr int64_t mostRowsOfSmallPingPong = 512;
/// Stages of small tiles may be deeper than one swizzle atom, where a single
/// warpgroup waits for them or each CTA has one tile.
constexpr int64_t depthBytes[] = {128, 256, 512};
constexpr int64_t mostBytesOfDeepStage = 40 << 10;
/// Of operands larger than this, short pieces of rows were measured faster.
constexpr int64_t mostBytesOfDeepOperand = 450'000'000;
/// Widths of tiles that are tried with each number of rows, and the parts of a
/// turn of all multiprocessors that they are to fill.
constexpr size_t mostWidths = 9;
constexpr int64_t mostParts = 8;
constexpr int64_t narrowestOfSeveralTurns = 64, wgmmaMostColumns = 256;
constexpr int64_t usualColumns[] = {256, 128};
/// Rows of tiles in a band, from measurements: the model sees no difference.
constexpr int64_t squareGroup = 4, highGroup = 32, mostKOfHighBands = 2048;
/// Of all matrices, from one launch to the next, where an operand is larger
/// than L2, and of this operand the least. Of one that is many times larger it
/// is better to keep what happens to stay.
constexpr int64_t bytesToKeep = 18'000'000, leastOfOperand = 14'000'000,
                  mostBytesOfKeptOperand = 450'000'000;
/// Of both operands, which multiprocessors find in L2 as fast if others have
/// loaded them before.
constexpr int64_t bytesInReachOfAll = 7'000'000;
/// Of all matrices, which are there for the next launch.
constexpr int64_t bytesInL2 = 40'000'000;
/// A launch of more is too long to gain by the next one's being early, and a
/// ring of fewer stages was measured fast enough.
constexpr int64_t mostBytesOfSmallRing = 140'000'000, fewestOfSmallRing = 4;
/// CTAs beside each other that want the same bytes at the same time, where they
/// are no clusters.
constexpr int64_t mostAtOnce = 4;
/// Clusters of more than two CTAs pay only where L2 limits for long.
constexpr int64_t turnsForLargeClusters = 8;
/// With a tile or two for each CTA there is little of an epilogue to hide.
constexpr int64_t turnsForPingPong = 3;

/// What cuts the rows of D, and how.
struct Band {
  int64_t bm, warpgroups;
  bool ping_pong = false;
};

constexpr Band bands[] = {{128, 2}, {256, 2},       {64, 1},
                          {128, 1}, {128, 2, true}, {64, 2, true}};
constexpr Band swappedBands[] = {{64, 1}, {128, 2}};

int64_t ceilDiv(int64_t numerator, int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

int64_t ctasOfCluster(const GemmConfig &c) {
  return c.cluster_m * c.cluster_n * c.split;
}

/// The configurations of one problem, one after another.
class Enumeration {
public:
  Enumeration(const GemmSizes &sizes, const GemmTypes &types,
              const GemmForm &form, const GemmVisitor &visit)
      : sizes(sizes), types(types), form(form), visit(visit) {}

  void run() {
    for (const Band &band : bands)
      if (!band.ping_pong || band.bm > 64 || sizes.m <= mostRowsOfSmallPingPong)
        for (int64_t columns : widthsThatFillTurns(band))
          withTile(band, columns, false);
    if (sizes.m <= mostSwappedRows)
      for (const Band &band : swappedBands)
        for (int64_t columns : widthsThatCutRows())
          withTile(band, columns, true);
  }

private:
  /// The usual widths, and the narrowest that fill an eighth, a quarter, a
  /// half, one, two or more turns of all multiprocessors: a wider one that
  /// takes as many turns takes as many tiles of more work.
  std::vector<int64_t> widthsThatFillTurns(const Band &band) const {
    std::vector<int64_t> widths;
    const int64_t rows = sizes.batch * ceilDiv(sizes.m, band.bm);
    const int64_t ctas = h200().multiprocessors;
    const int64_t most = mostColumns(band);
    auto add = [&](int64_t width) {
      if (width <= most && !std::ranges::count(widths, width))
        widths.push_back(width);
    };
    auto fill = [&](int64_t tiles) {
      const int64_t width =
          tiles < rows ? most + 1 : 8 * ceilDiv(sizes.n, 8 * (tiles / rows));
      add(width);
      // Boxes of 16 bytes are slow to store.
      add(ceilDiv(width, 16) * 16);
      return width;
    };
    for (int64_t width : usualColumns)
      if (width < sizes.n + 8)
        add(width);
    for (int64_t parts = mostParts; parts > 1; parts /= 2)
      fill(ctas / parts);
    for (int64_t turns = 1; widths.size() < mostWidths; ++turns)
      if (fill(turns * ctas) <= (turns == 1 ? 8 : narrowestOfSeveralTurns))
        break;
    return widths;
  }

  /// What the registers hold the sums of.
  int64_t mostColumns(const Band &band) const {
    GemmConfig c;
    c.bm = band.bm, c.bn = wgmmaMostColumns, c.warpgroups = band.warpgroups;
    c.ping_pong = band.ping_pong;
    const int64_t columns =
        c.bn * accumulatorLimit(c) / accumulatorRegisters(types, c);
    return std::min(columns / 8 * 8, wgmmaMostColumns);
  }

  /// Cuts of the rows of D, as columns of Dᵀ, into no more than four; before
  /// these what is wide enough for the parts of a split, where D is not.
  std::vector<int64_t> widthsThatCutRows() const {
    std::vector<int64_t> widths;
    for (int64_t parts : {4, 2})
      if (sizes.m <= 8 * parts / 2)
        widths.push_back(8 * parts);
    for (int64_t cuts : {1, 2, 3, 4})
      if (const int64_t width = 8 * ceilDiv(sizes.m, 8 * cuts);
          widths.empty() || width < widths.back())
        widths.push_back(width);
    return widths;
  }

  void withTile(const Band &band, int64_t columns, bool swapped) {
    GemmConfig c;
    c.bm = band.bm, c.bn = columns, c.warpgroups = band.warpgroups;
    c.ping_pong = band.ping_pong, c.swapped = swapped;
    for (int64_t bytes : depthBytes) {
      c.bk = bytes / size_bytes(types.a);
      if (!isDepthUseful(c, bytes))
        return;
      withSplits(c);
    }
  }

  bool isDepthUseful(const GemmConfig &c, int64_t bytes) const {
    return bytes == depthBytes[0] ||
           (stageBytes(types, c) <= mostBytesOfDeepStage &&
            sizes.k >= 2 * c.bk && !isPromoted(types) &&
            operandBytes(std::max(sizes.m, sizes.n)) <=
                mostBytesOfDeepOperand &&
            (c.warpgroups == 1 || GemmTiling(sizes, c, h200()).turns() == 1));
  }

  /// K is split where there are too few tiles for all multiprocessors.
  void withSplits(GemmConfig c) {
    const GpuModel gpu = h200();
    const GemmTiling tiling(sizes, c, gpu);
    // Nothing would hide the additions of full sums in ping-pong.
    if (c.ping_pong && (tiling.turns() < turnsForPingPong || isPromoted(types)))
      return;
    for (int64_t split : {1, 2, 4, 8}) {
      const bool useful = tiling.clusters * split <= gpu.multiprocessors &&
                          tiling.steps >= stepsToSplit * split && !c.ping_pong;
      if (split > 1 && !useful)
        return;
      c.split = split;
      c.store_columns = storeColumns(c);
      withClusters(c, tiling);
    }
  }

  /// The widest boxes that cut what a CTA stores.
  int64_t storeColumns(GemmConfig c) const {
    const int64_t unit = stripUnit(types);
    for (c.store_columns = mostStripColumns(types); c.store_columns > unit;
         c.store_columns /= 2)
      if (areStripsUseful(c))
        break;
    return stripColumns(c);
  }

  bool areStripsUseful(const GemmConfig &c) const {
    return areStripsStorable(types, c) && areStripsInRegisters(types, c, form);
  }

  void withClusters(GemmConfig c, const GemmTiling &tiling) {
    const int64_t most = tiling.turns() >= turnsForLargeClusters ? 4 : 2;
    for (int64_t m : {1, 2, 4})
      for (int64_t n : {1, 2, 4})
        if (m * n <= most && m <= tiling.rows && n <= tiling.columns) {
          c.cluster_m = m, c.cluster_n = n;
          withBuffers(c);
        }
    // Where the last turn leaves multiprocessors without a tile.
    if (tiling.leftClusters > 0 && c.split == 1 && !c.ping_pong) {
      c.cluster_m = c.cluster_n = 1;
      c.stream_k = true;
      withBuffers(c);
    }
  }

  /// One buffer for stores, a stage of the ring in its place, or a narrower
  /// buffer, where that makes room for another stage.
  void withBuffers(GemmConfig c) {
    c.store_buffers = std::min<int64_t>(2, stripCount(c));
    int64_t stages = withStages(c);
    auto ifItGains = [&] {
      if (stages < enoughStages && stagesThatFit(c) > stages)
        stages = withStages(c);
    };
    c.store_buffers = 1;
    ifItGains();
    const int64_t withOne = stages;
    c.store_buffers = 0;
    ifItGains();
    // The model can't tell which of the two is faster.
    stages = withOne;
    c.store_buffers = 1;
    const int64_t sector = 32 / size_bytes(types.d);
    for (c.store_columns -= sector; c.store_columns >= sector;
         c.store_columns -= sector)
      if (areStripsUseful(c))
        ifItGains();
  }

  int64_t withStages(GemmConfig &c) {
    c.stages = stagesThatFit(c);
    const int64_t rows = c.swapped ? sizes.n : sizes.m;
    const int64_t columns = c.swapped ? sizes.m : sizes.n;
    c.kept_a = keptSixteenths(c, rows, ceilDiv(columns, c.bn), c.cluster_n);
    c.kept_b = keptSixteenths(c, columns, ceilDiv(rows, c.bm), c.cluster_m);
    if (c.swapped)
      std::swap(c.kept_a, c.kept_b);
    c.group = group(c);
    c.early_launch = isEarlyUseful(c);
    if (c.stages >= fewestStages && why_not(sizes, types, c, form).empty())
      visit(c);
    withSmallRing(c);
    return c.stages;
  }

  /// A ring that leaves room for the next launch's CTA, of few rows.
  void withSmallRing(GemmConfig c) {
    if (c.early_launch || !c.swapped || c.warpgroups > 1 ||
        operandBytes(sizes.n) > mostBytesOfSmallRing)
      return;
    while (c.stages > fewestOfSmallRing && !isNextBeside(c))
      --c.stages;
    c.early_launch = isNextBeside(c);
    if (c.early_launch && why_not(sizes, types, c, form).empty())
      visit(c);
  }

  /// Whether the next launch's CTAs find room beside this one's.
  bool isNextBeside(const GemmConfig &c) const {
    return ctasOfCluster(c) == 1 && fitsTwice(types, c, form, h200());
  }

  /// Swapped, what wants the same weights is next to each other. In a single
  /// turn sixteen neighbours seem to share a GPC, and what several of a GPC
  /// want to cost L2 less: the least that is for a square of tiles. Where K is
  /// short, the D of a band is more than L2 holds beside the columns' operand:
  /// few high bands then.
  int64_t group(const GemmConfig &c) const {
    if (c.swapped)
      return ctasOfCluster(c) == 1 ? 1 : GemmConfig().group;
    if (GemmTiling(sizes, c, h200()).turns() == 1)
      return squareGroup;
    return sizes.k <= mostKOfHighBands ? highGroup / c.cluster_m
                                       : GemmConfig().group;
  }

  /// The next launch's CTAs come to other multiprocessors than this one's, and
  /// find less of what they want in their part of L2. Not so where all of them
  /// find room at once, or where two grids fit beside each other, which then
  /// take turns. Nor does it matter to what is little, or read once by a grid
  /// of all multiprocessors that are done with it at about the same time.
  bool isEarlyUseful(const GemmConfig &c) const {
    if (isNextBeside(c))
      return true;
    const GemmTiling tiling(sizes, c, h200());
    const int64_t ctas = tiling.clusters * tiling.ctas;
    const int64_t bytes = operandBytes(sizes.m + sizes.n);
    if (c.stream_k || tiling.clusters >= tiling.slots)
      return c.swapped && tiling.columns == 1 &&
             bytes + bytesOfResult() <= bytesInL2 &&
             (c.stream_k || tiling.leftClusters == 0 ||
              tiling.leftClusters * 4 >= tiling.slots * 3);
    return ctas * 2 <= h200().multiprocessors || bytes <= bytesInReachOfAll;
  }

  /// Of an operand of `extent` times K: all of it where L2 holds it, or where
  /// its readers, so many CTAs of which a cluster has `together`, do not want
  /// it at the same time; else as much as L2 holds on to until the next launch,
  /// if that is worth while.
  int64_t keptSixteenths(const GemmConfig &c, int64_t extent, int64_t readers,
                         int64_t together) const {
    const int64_t bytes = operandBytes(extent);
    const int64_t atOnce = ctasOfCluster(c) == 1 ? mostAtOnce : together;
    if (bytes <= h200().l2_bytes || bytes > mostBytesOfKeptOperand ||
        readers > atOnce)
      return 16;
    const int64_t others =
        operandBytes(sizes.m + sizes.n) - bytes + bytesOfResult();
    const int64_t kept = std::max(bytesToKeep - others, leastOfOperand);
    const int64_t sixteenths = (16 * kept + bytes / 2) / bytes;
    return sixteenths == 0 ? 16 : sixteenths;
  }

  /// Of an operand of `extent` times K.
  int64_t operandBytes(int64_t extent) const {
    return sizes.batch * extent * sizes.k * size_bytes(types.a);
  }

  int64_t bytesOfResult() const {
    return static_cast<int64_t>(resultBytes(sizes, types, form));
  }

  int64_t stagesThatFit(GemmConfig c) const {
    const GpuModel gpu = h200();
    c.stages = 0;
    const int64_t left = gpu.shared_bytes - sharedBytes(types, c, gpu);
    return std::min(std::max<int64_t>(left, 0) / stageBytes(types, c),
                    mostStages);
  }

  const GemmSizes &sizes;
  const GemmTypes &types;
  const GemmForm &form;
  const GemmVisitor &visit;
};

} // namespace

void visitCandidates(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmVisitor &visit) {
  if (notProblem(sizes, form).empty())
    Enumeration(sizes, types, form, visit).run();
}

} // namespace ashlar
