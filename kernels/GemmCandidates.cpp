#include "GemmCandidates.h"
#include "GemmLocality.h"
#include "GemmResources.h"
#include "GemmTiling.h"
#include "ashlar/gemm_auto.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ashlar {

namespace {

constexpr int64_t mostStages = 12, fewestStages = 2, stepsToSplit = 2;
/// With as many no smaller staging is tried for another one.
constexpr int64_t enoughStages = 6;
/// Up to as many rows of D are cut into few parts, as columns of Dᵀ; of more,
/// tiles of Dᵀ fill waves as those of D do.
constexpr int64_t mostSwappedRows = 256;
/// Of more, tiles of 64 rows in ping-pong were the fastest of none of the
/// problems that were measured.
constexpr int64_t mostRowsOfSmallPingPong = 512;
/// Stages of small tiles may be deeper than one swizzle atom, where a single
/// warpgroup waits for them or each CTA has one tile.
constexpr int64_t depthBytes[] = {128, 256, 512};
constexpr int64_t mostBytesOfDeepStage = 40 << 10;
/// Of operands larger than this, short pieces of rows were measured faster, but
/// for f32, of which deep stages let more products begin together.
constexpr int64_t mostBytesOfDeepOperand = 450'000'000;
/// CTAs that share a tile by split-K, and the widths that fill whole waves with
/// tiles of a height.
constexpr int64_t mostParts = 8;
constexpr size_t mostWidthsOfWaves = 7;
constexpr int64_t narrowestOfSeveralWaves = 64;
constexpr int64_t usualColumns[] = {256, 128};
/// With larger weights a launch is too long to gain by the next one's being
/// early. Shorter rings than this were not measured.
constexpr int64_t mostBytesOfSmallRing = 140'000'000, fewestOfSmallRing = 4;
/// Clusters of more than two CTAs pay only where L2 limits for long, or where
/// it is asked for more lines than there are rows.
constexpr int64_t wavesForLargeClusters = 8;
/// With a tile or two for each CTA there is little of an epilogue to hide.
constexpr int64_t wavesForPingPong = 3;

/// Rows of a tile, and the warpgroups that compute it.
struct TileHeight {
  int64_t bm, warpgroups;
  bool ping_pong = false;
};

constexpr TileHeight heights[] = {{128, 2},     {256, 2}, {64, 1},
                                  {128, 1},     {192, 3}, {128, 2, true},
                                  {64, 2, true}};
constexpr TileHeight swappedHeights[] = {{64, 1}, {128, 2}, {256, 2}};

/// The configurations of one problem, one after another.
class Enumeration {
public:
  Enumeration(const GemmSizes &sizes, const GemmTypes &types,
              const GemmForm &form, const GemmVisitor &visit)
      : given(sizes), sizes(atLeastOne(sizes)), types(types), form(form),
        visit(visit) {}

  void run() {
    for (const GemmConfig &way : waysToLoad()) {
      loading = way;
      withTilesThatFillWaves();
      loading.swapped = true;
      if (sizes.m > mostSwappedRows) {
        withTilesThatFillWaves();
        continue;
      }
      for (const TileHeight &height : swappedHeights)
        if (isHeightUseful(height))
          for (int64_t columns : widthsThatCutRows())
            withTile(height, columns);
    }
  }

private:
  /// By TMA; what does not go to the tensor cores as it is, prepared or, where
  /// only rows begin elsewhere, by threads, or where only K is not contiguous,
  /// transposed stage by stage; one operand or both.
  std::vector<GemmConfig> waysToLoad() const {
    constexpr int64_t manyWarps = 8;
    const Obstacles a = obstaclesOfA(types), b = obstaclesOfB(types);
    std::vector<GemmConfig> ways;
    for (bool ofB : {false, true})
      for (bool ofA : {false, true}) {
        if ((ofA && (a.isShifted || !a.isOtherMajor)) ||
            (ofB && (b.isShifted || !b.isOtherMajor)))
          continue;
        GemmConfig &way = ways.emplace_back();
        way.transposed_a = ofA, way.prepared_a = a.any() && !ofA;
        way.transposed_b = ofB, way.prepared_b = b.any() && !ofB;
      }
    auto canShift = [&](const Obstacles &is) {
      return is.isShifted && !is.isOtherMajor && !isInParts(types);
    };
    for (bool ofB : {true, false})
      for (bool ofA : {true, false}) {
        if ((ofA && !canShift(a)) || (ofB && !canShift(b)) || (!ofA && !ofB))
          continue;
        GemmConfig &way = ways.emplace_back();
        way.prepared_a = a.any() && !ofA, way.prepared_b = b.any() && !ofB;
        way.load_warps = manyWarps;
      }
    return ways;
  }

  void withTilesThatFillWaves() {
    for (const TileHeight &height : heights)
      if (isHeightUseful(height))
        for (int64_t columns : widthsThatFillWaves(height))
          withTile(height, columns);
  }

  /// In registers there is room for the next stage's rows beside these, and for
  /// sums, where each warpgroup multiplies 64; and for loading by threads where
  /// no more than two multiply.
  bool isHeightUseful(const TileHeight &height) const {
    const int64_t blocks = height.bm / target::wgmmaRows /
                           (height.ping_pong ? 1 : height.warpgroups);
    return (!height.ping_pong || height.bm > target::wgmmaRows ||
            extents().rows <= mostRowsOfSmallPingPong) &&
           (!isAboveTransposed(loading) || blocks == 1) &&
           (height.warpgroups <= 2 || loading.load_warps == 1);
  }

  /// What the rows and the columns of tiles are cut from.
  struct Extents {
    int64_t rows, columns;
  };
  Extents extents() const {
    return loading.swapped ? Extents{sizes.n, sizes.m}
                           : Extents{sizes.m, sizes.n};
  }

  /// The usual widths, and the narrowest that fill an eighth of a wave and so
  /// on up to a half, one, two or more waves: a wider one that takes as many
  /// waves takes as many tiles of more work.
  std::vector<int64_t> widthsThatFillWaves(const TileHeight &height) const {
    std::vector<int64_t> widths;
    const int64_t rows = sizes.batch * ceilDiv(extents().rows, height.bm);
    const int64_t ctas = h200().sm_count;
    const int64_t most = mostColumns(height);
    auto add = [&](int64_t narrowest) {
      const int64_t width = usualWidth(narrowest);
      if (width <= most && !std::ranges::count(widths, width))
        widths.push_back(width);
    };
    auto fill = [&](int64_t tiles) {
      const int64_t width =
          tiles < rows ? most + 1
                       : 8 * ceilDiv(extents().columns, 8 * (tiles / rows));
      add(width);
      // Boxes of 16 bytes are slow to store.
      add(ceilDiv(width, 16) * 16);
      return width;
    };
    for (int64_t width : usualColumns)
      if (width < extents().columns + 8)
        add(width);
    for (int64_t parts = mostParts; parts > 1; --parts)
      // Split-K cuts a tile's columns into as many parts.
      add(ceilDiv(fill(ctas / parts), 8 * parts) * 8 * parts);
    const size_t enough = widths.size() + mostWidthsOfWaves;
    for (int64_t waves = ceilDiv(rows, ctas); widths.size() < enough;) {
      if (fill(waves * ctas) <= (waves == 1 ? 8 : narrowestOfSeveralWaves))
        break;
      // The next ones that have a tile more in each row.
      waves =
          std::max(waves + 1, ceilDiv((waves * ctas / rows + 1) * rows, ctas));
    }
    return widths;
  }

  /// What the registers hold the sums of.
  int64_t mostColumns(const TileHeight &height) const {
    GemmConfig c = loading;
    c.bm = height.bm, c.bn = target::wgmmaMostColumns,
    c.warpgroups = height.warpgroups;
    c.bk = depthBytes[0] / size_bytes(types.a);
    c.ping_pong = height.ping_pong;
    const int64_t columns =
        c.bn * accumulatorLimit(types, c) / accumulatorRegisters(types, c);
    return std::min(columns / 8 * 8, target::wgmmaMostColumns);
  }

  /// Cuts of the rows of D, as columns of Dᵀ, into no more than four; before
  /// these what is wide enough for split-K, where D is not.
  std::vector<int64_t> widthsThatCutRows() const {
    std::vector<int64_t> widths;
    for (int64_t parts : {4, 2})
      if (sizes.m <= 8 * parts / 2)
        widths.push_back(8 * parts);
    for (int64_t cuts : {1, 2, 3, 4})
      if (const int64_t width = usualWidth(8 * ceilDiv(sizes.m, 8 * cuts));
          widths.empty() || width < widths.back())
        widths.push_back(width);
    return widths;
  }

  /// Columns that are contiguous in shared memory are whole rows of a swizzle
  /// atom, or one row of a narrower one; those of integers what wgmma has.
  int64_t usualWidth(int64_t width) const {
    constexpr int64_t atom = 64;
    const int64_t least = target::tmaAlignment / size_bytes(types.a);
    if (isBesideKMajor(types, loading)) {
      while (!target::isWgmmaColumns(width, sumType(types) == s32) &&
             width < target::wgmmaMostColumns)
        width += 8;
      return width;
    }
    return width >= atom ? ceilDiv(width, atom) * atom
                         : static_cast<int64_t>(std::bit_ceil(
                               static_cast<uint64_t>(std::max(width, least))));
  }

  void withTile(const TileHeight &height, int64_t columns) {
    GemmConfig c = loading;
    c.bm = height.bm, c.bn = columns, c.warpgroups = height.warpgroups;
    c.ping_pong = height.ping_pong;
    for (int64_t bytes : depthBytes) {
      c.bk = bytes / size_bytes(types.a);
      if (!isDepthUseful(c, bytes))
        return;
      c.bf16_parts = areBf16PartsUseful(c);
      withSplits(c);
    }
  }

  bool isDepthUseful(const GemmConfig &c, int64_t bytes) const {
    // Threads wait for each stage that they load.
    if (c.load_warps > 1)
      return bytes <= depthBytes[1] &&
             (bytes == depthBytes[0] || sizes.k > c.bk / 2);
    return bytes == depthBytes[0] ||
           (stageBytes(types, c) <= mostBytesOfDeepStage &&
            sizes.k >= 2 * c.bk && c.bk % productDepth(types, c) == 0 &&
            (isInParts(types) ||
             operandBytes(sizes, types, std::max(sizes.m, sizes.n)) <=
                 mostBytesOfDeepOperand) &&
            (c.warpgroups == 1 || GemmTiling(sizes, c, h200()).waves() == 1));
  }

  /// Where f32 summed in order would have no smaller error.
  bool areBf16PartsUseful(const GemmConfig &c) const {
    constexpr int64_t leastDepth = 2048;
    return isInParts(types) && sizes.k >= leastDepth &&
           c.bk == depthOfBf16Parts && c.bn % columnsOfBf16Parts == 0 &&
           c.warpgroups <= warpgroupsOfBf16Parts;
  }

  /// Split-K where there are too few tiles for all SMs.
  void withSplits(GemmConfig c) {
    const GpuModel gpu = h200();
    const GemmTiling tiling(sizes, c, gpu);
    // Nothing would hide the additions of full sums in ping-pong.
    if (c.ping_pong && (tiling.waves() < wavesForPingPong || isPromoted(types)))
      return;
    const int64_t leastSteps = c.load_warps > 1 ? 1 : stepsToSplit;
    for (int64_t split = 1; split <= mostParts; ++split) {
      const bool useful = tiling.clusters * split <= gpu.sm_count &&
                          tiling.steps >= leastSteps * split && !c.ping_pong;
      if (split > 1 && !useful)
        return;
      if (split > 1 && c.bn % (8 * split))
        continue;
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

  /// Parts of K that are no power of two fetch for themselves: clusters of six
  /// leave more SMs idle than they spare requests.
  void withClusters(GemmConfig c, const GemmTiling &tiling) {
    const int64_t most =
        areRowsOfLines() && tiling.waves() < wavesForLargeClusters ? 2 : 4;
    for (int64_t m : {1, 2, 4})
      for (int64_t n : {1, 2, 4})
        if (m * n <= most && m <= tiling.rows && n <= tiling.columns &&
            (m * n == 1 ||
             std::has_single_bit(static_cast<uint64_t>(c.split)))) {
          c.cluster_m = m, c.cluster_n = n;
          withBuffers(c);
        }
  }

  /// Whether no row of a box has a part of a cache line.
  bool areRowsOfLines() const {
    constexpr int64_t line = 128;
    return strideOfA(sizes, types) % line == 0 &&
           strideOfB(sizes, types) % line == 0;
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
    // But for ping-pong the model can't tell which of the two is faster.
    stages = withOne;
    c.store_buffers = 1;
    const int64_t sector = 32 / size_bytes(types.d);
    for (c.store_columns -= sector; c.store_columns >= sector;
         c.store_columns -= sector)
      if (areStripsUseful(c))
        ifItGains();
  }

  int64_t withStages(const GemmConfig &c) {
    const int64_t stages = stagesThatFit(c);
    // First: of equal ones the model takes the first.
    if (c.load_warps > 1 && areLoadsAwaited() &&
        GemmTiling(sizes, c, h200()).steps > 1)
      withTurns(c, stages);
    withRing(c, stages);
    return stages;
  }

  /// Whether rows are loaded to registers: cp.async takes multiples of 4 bytes.
  bool areLoadsAwaited() const {
    constexpr int64_t leastOfAsync = 4;
    return std::min(types.layout.align_a, types.layout.align_b) < leastOfAsync;
  }

  /// Threads of half the warps hold twice as much of a stage each, for which
  /// they are not to wait twice; cp.async is waited for by nobody. In 73 pairs
  /// two groups were 1.03 times as fast, where the model often sees none of it.
  /// Four were 1.09 times as slow in 75.
  void withTurns(GemmConfig c, int64_t stages) {
    c.load_groups = 2;
    if (loadBatches(types, c) == 1)
      withRing(c, stages);
  }

  void withRing(GemmConfig c, int64_t stages) {
    c.stages = stages - stages % c.load_groups;
    setLocality(sizes, types, form, c);
    if (c.stages >= fewestStages && why_not(given, types, c, form).empty())
      visitEachKept(c);
    withSmallRing(c);
  }

  /// A ring that leaves room for the next launch's CTA, of few rows.
  void withSmallRing(GemmConfig c) {
    if (c.early_launch || !c.swapped || sizes.m > mostSwappedRows ||
        c.warpgroups > 1 ||
        operandBytes(sizes, types, sizes.n) > mostBytesOfSmallRing)
      return;
    while (c.stages > fewestOfSmallRing && !isNextBeside(types, form, c))
      --c.stages;
    c.early_launch = isNextBeside(types, form, c);
    if (c.early_launch && why_not(given, types, c, form).empty())
      visitEachKept(c);
  }

  void visitEachKept(const GemmConfig &config) {
    for (GemmConfig c : eachKept(sizes, types, form, config)) {
      visit(c);
      c.edge_parts = true;
      if (isAnyPartOutside(c))
        visit(c);
    }
  }

  /// Whether a tile of the edge, or one with which it fills up a cluster, has
  /// parts of which no row lies in the matrix, which has as many others.
  bool isAnyPartOutside(const GemmConfig &c) const {
    const GemmTiling tiling(sizes, c, h200());
    auto isOfUse = [&](int64_t most, int64_t last, bool isAnyOutside,
                       bool isAbove) {
      return most >= edgePart(types, c, isAbove) &&
             rowsOfOutsideParts(types, c, isAnyOutside ? 0 : last, isAbove) > 0;
    };
    return isOfUse(tiling.mostRows, tiling.lastRows,
                   tiling.rows % c.cluster_m > 0, true) ||
           isOfUse(tiling.mostColumns, tiling.lastColumns,
                   tiling.columns % c.cluster_n > 0, false);
  }

  int64_t stagesThatFit(GemmConfig c) const {
    const GpuModel gpu = h200();
    c.stages = 0;
    const int64_t left = gpu.shared_bytes - sharedBytes(types, c, gpu);
    return std::min(std::max<int64_t>(left, 0) / stageBytes(types, c),
                    mostStages);
  }

  const GemmSizes &given;
  const GemmSizes sizes; ///< with at least one of each
  const GemmTypes &types;
  const GemmForm &form;
  const GemmVisitor &visit;
  GemmConfig loading; ///< How operands are loaded, and whether swapped.
};

} // namespace

void visitCandidates(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmVisitor &visit) {
  if (notTypes(types, form).empty() && notProblem(sizes, types, form).empty())
    Enumeration(sizes, types, form, visit).run();
}

} // namespace ashlar
