#include "ashlar/gemm_cost.h"

#include "ashlar/error.h"

#include "GemmResources.h"
#include "GemmStageMath.h"
#include "GemmStores.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace ashlar {

double GpuModel::evictedPart(double bytes) const {
  return std::clamp((bytes - resident_bytes) / (evicted_bytes - resident_bytes),
                    0.0, 1.0);
}

namespace {

static_assert(h200().shared_bytes == target::sharedBytes);

class Model {
public:
  Model(const GemmSizes &sizes, const GemmTypes &types, const GemmConfig &c,
        const GemmForm &form, const GpuModel &gpu)
      : types(types), c(c), form(form), gpu(gpu), tiling(sizes, c, gpu),
        stageMath(types, c, gpu),
        depth(static_cast<double>(c.bk * size_bytes(types.a))),
        ofRows(loadedOfTiles(tiling.rows, tiling.mostRows, tiling.lastRows,
                             c.cluster_m, true)),
        ofColumns(loadedOfTiles(tiling.columns, tiling.mostColumns,
                                tiling.lastColumns, c.cluster_n, false)),
        rows(ofRows.mean), columns(ofColumns.mean),
        elements(static_cast<double>(c.bm * c.bn)), stores(types, c, form, gpu),
        steps(static_cast<double>(tiling.steps)),
        requests(requestsOf(sizes, rows, columns, gpu.request_clocks,
                            gpu.request_on_16_clocks)),
        requestsOfSm(ofSlowest([&](double above, double beside) {
          return requestsOf(sizes, above, beside, 0,
                            gpu.request_on_16_sm_clocks) +
                 outsideRows(above, beside) * gpu.outside_clocks;
        })),
        partSectors(stores.partSectors(sizes)),
        turns(std::ceil(steps / static_cast<double>(c.load_groups))),
        preparedBytes(static_cast<double>(
            (c.prepared_a ? operandBytes(sizes, types, sizes.m) : 0) +
            (c.prepared_b ? operandBytes(sizes, types, sizes.n) : 0))),
        bytesOfLaunch(bytes(sizes, types, form, 16, 16)),
        keptBytes(bytes(sizes, types, form, c.kept_a, c.kept_b)),
        bytesFromDram(dramBytes(sizes, types, c, form, tiling, gpu)) {}

  GemmCost cost() {
    const double writtenBack =
        std::min(keptBytes, static_cast<double>(gpu.l2_bytes));
    GemmCost cost =
        estimate({gpu.launch_microseconds +
                      (c.edge_parts ? gpu.edge_parts_microseconds : 0) +
                      writtenBack / (gpu.write_back_terabytes_per_second * 1e6),
                  bytesFromDram});
    cost.cold = cost.total;
    const double early = !c.early_launch       ? 0
                         : tiling.leavesHalf() ? gpu.launch_beside_microseconds
                                               : gpu.early_launch_microseconds;
    const double room = keptBytes < bytesOfLaunch ? gpu.beside_streams : 1;
    const double kept = 1 - gpu.evictedPart(keptBytes / room);
    const GemmCost hot = estimate(
        {-early, bytesFromDram * (1 - kept * keptBytes / bytesOfLaunch)});
    cost.hot = hot.total;
    cost.hot_limit = hot.limit;
    cost.total = std::sqrt(cost.cold * cost.hot);
    return cost;
  }

private:
  /// What differs between a launch by itself and one after the other.
  struct Start {
    double launchMicroseconds, dramBytes;
  };

  /// All matrices, of the operands as many sixteenths.
  static double bytes(const GemmSizes &sizes, const GemmTypes &types,
                      const GemmForm &form, int64_t ofA, int64_t ofB) {
    return static_cast<double>(sizes.batch * sizes.k *
                               (sizes.m * size_bytes(types.a) * ofA +
                                sizes.n * size_bytes(types.b) * ofB) /
                               16) +
           resultBytes(sizes, types, form);
  }

  GemmCost estimate(const Start &from) {
    start = from;
    longest = 0;
    GemmCost cost;
    double clocks = loadClocks();
    addWaves(cost, clocks);
    // Nothing is left to hide the last tile's stores.
    const double last = (c.ping_pong ? stores.clocks() : 0) + writeClocks();
    const auto seen = static_cast<double>(c.ping_pong ? 1 : tiling.waves());
    cost.prologue =
        start.launchMicroseconds + loadMicroseconds() +
        gpu.dram_microseconds * std::min(start.dramBytes / bytesFromDram, 1.0) +
        gpu.warpgroup_microseconds * static_cast<double>(c.warpgroups - 1) +
        gpu.cluster_microseconds * std::log2(static_cast<double>(tiling.ctas));
    cost.epilogue +=
        microseconds(seen * stores.clocks() + restarts() + writeClocks());
    cost.prologue += prepareMicroseconds();
    if (c.edge_parts)
      cost.prologue +=
          gpu.edge_parts_share * (cost.prologue + microseconds(clocks + last));
    cost.total = cost.prologue + microseconds(clocks + last);
    if (2 * cost.prologue > cost.total)
      cost.limit = "launch";
    return cost;
  }

  /// Until the first stage comes: what threads take to load it is part of each
  /// step.
  double loadMicroseconds() const {
    return preparedBytes == 0 && shiftedRows(rows, columns) > 0
               ? gpu.shift_start_microseconds
               : gpu.load_microseconds;
  }

  double restarts() const {
    return c.ping_pong
               ? 0
               : static_cast<double>(tiling.waves() - 1) * gpu.restart_clocks;
  }

  /// Each byte is read and written before the first product that needs it,
  /// which finds it in L2; where that is not of the first section of K,
  /// products take longer meanwhile.
  double prepareMicroseconds() const {
    if (preparedBytes == 0)
      return 0;
    const double first = 1 / sections(), bytes = 2 * preparedBytes / 1e6;
    return (shiftedRows(rows, columns) > 0 ? gpu.prepare_beside_microseconds
                                           : gpu.prepare_microseconds) +
           (isPreparedTransposed(types, c) ? gpu.prepare_transposed_microseconds
                                           : 0) +
           first * bytes / gpu.prepare_terabytes_per_second +
           (1 - first) * bytes / gpu.prepare_under_terabytes_per_second +
           preparedFromDram() / (gpu.dram_terabytes_per_second * 1e6);
  }
  double sections() const {
    if (preparedSections(types, c, form) == 1)
      return 1;
    const auto ofAll =
        static_cast<double>(gpu.sm_count * target::warpgroupThreads *
                            c.warpgroups * preparedBytesOfThread);
    return preparedBytes >= tilesOfThreeSections * ofAll ? 3 : 2;
  }
  double preparedFromDram() const {
    return preparedBytes * std::min(start.dramBytes / bytesFromDram, 1.0);
  }

  double microseconds(double clocks) const {
    return clocks / (gpu.clock_gigahertz * 1e3);
  }
  double clocks(double microseconds) const {
    return microseconds * gpu.clock_gigahertz * 1e3;
  }
  /// What the whole GPU has, in bytes in a clock.
  double perClock(double terabytesPerSecond) const {
    return terabytesPerSecond * 1e3 / gpu.clock_gigahertz;
  }

  /// What the rows of a CTA's boxes take of which so many are loaded, if those
  /// that begin on sectors take so many clocks each, and so many the others:
  /// those that a cluster shares are asked for once.
  double requestsOf(const GemmSizes &sizes, double above, double beside,
                    double onSectors, double on16) const {
    auto clocksOf = [&](int64_t strideBytes) {
      return strideBytes % sectorBytes == 0 ? onSectors : on16;
    };
    const double ofA = clocksOf(c.prepared_a ? 0 : strideOfA(sizes, types)),
                 ofB = clocksOf(c.prepared_b ? 0 : strideOfB(sizes, types));
    return rowsOfBoxes(above, isAboveKMajor(types, c)) *
               (c.swapped ? ofB : ofA) / static_cast<double>(c.cluster_n) +
           rowsOfBoxes(beside, isBesideKMajor(types, c)) *
               (c.swapped ? ofA : ofB) / static_cast<double>(c.cluster_m);
  }

  double rowsOfBoxes(double extent, bool isKMajor) const {
    constexpr double most = 128;
    const auto bytes = static_cast<double>(size_bytes(types.a));
    return isKMajor
               ? extent * std::ceil(depth / most)
               : static_cast<double>(c.bk) * std::ceil(extent * bytes / most);
  }

  /// Rows of a tile that are loaded, and not zeros, if so many of them lie in
  /// the matrix.
  double loaded(int64_t inside, bool isAbove) const {
    // Of fewer rows than a part has the rest is zeros in each.
    const int64_t part = edgePart(types, c, isAbove),
                  ofPart = std::min(part, isAbove ? tiling.mostRows
                                                  : tiling.mostColumns);
    return static_cast<double>(
        inside + rowsOfOutsideParts(types, c, inside, isAbove) * ofPart / part);
  }
  /// Of each tile along a dimension that differs from others, and on average:
  /// most, the last one, and those outside with which it fills up a cluster.
  struct LoadedOfTiles {
    std::vector<double> each;
    double mean;
  };
  LoadedOfTiles loadedOfTiles(int64_t tiles, int64_t most, int64_t last,
                              int64_t cluster, bool isAbove) const {
    LoadedOfTiles of = {{loaded(most, isAbove), loaded(last, isAbove)}, 0};
    const int64_t outside = ceilDiv(tiles, cluster) * cluster - tiles;
    double sum = static_cast<double>((tiles - 1) * most) + of.each.back();
    if (outside > 0) {
      of.each.push_back(loaded(0, isAbove));
      sum += static_cast<double>(outside) * of.each.back();
    }
    of.mean = sum / static_cast<double>(tiles + outside);
    return of;
  }

  /// Rows of 128 bytes that a stage's boxes fill with zeros, if so many of the
  /// stage's rows are loaded.
  double outsideRows(double above, double beside) const {
    return (static_cast<double>(c.bm + c.bn) - above - beside) * depth / 128;
  }

  /// A tile of the edge has fewer rows to load and some outside, or all of
  /// them; who has the slowest tile has it in one of its waves.
  double ofSlowest(
      llvm::function_ref<double(double above, double beside)> clocks) const {
    const double mean = clocks(rows, columns);
    double slowest = 0;
    for (double above : ofRows.each)
      for (double beside : ofColumns.each)
        slowest = std::max(slowest, clocks(above, beside));
    return mean + (slowest - mean) / static_cast<double>(tiling.waves());
  }
  double loadClocks() const {
    return ofSlowest([this](double above, double beside) {
      return loadClocks(above, beside);
    });
  }

  double loadClocks(double above, double beside) const {
    const double shifted = shiftedRows(above, beside);
    const double incoming =
        (above + beside - shifted) * depth / gpu.load_bytes_per_clock +
        shifted * depth / gpu.shift_load_bytes_per_clock +
        narrowRowClocks(c.bm, above, isAboveKMajor(types, c)) +
        narrowRowClocks(c.bn, beside, isBesideKMajor(types, c));
    return std::max(incoming,
                    turnClocks(above, beside) * turns / std::max(steps, 1.0)) +
           outsideRows(above, beside) * gpu.outside_clocks;
  }

  /// From when threads ask for a stage until they have stored it. Groups of
  /// warps that take turns are slower each, as they share what is done in a
  /// clock, and wait at the same time.
  double turnClocks(double above, double beside) const {
    return c.load_warps == 1
               ? 0
               : gpu.shift_step_clocks *
                         static_cast<double>(loadBatches(types, c)) +
                     shiftedRows(above, beside) * depth *
                         static_cast<double>(c.load_groups) /
                         gpu.shift_bytes_per_clock;
  }

  /// What rows of narrow boxes, of a tile's `extent`, of which `inside` lies in
  /// the matrix, take more than their bytes.
  double narrowRowClocks(int64_t extent, double inside, bool isKMajor) const {
    const auto bytes = static_cast<double>(size_bytes(types.a)) *
                       (isKMajor ? static_cast<double>(c.bk) : inside);
    return bytes > static_cast<double>(gpu.narrow_box_bytes)
               ? 0
               : static_cast<double>(isKMajor ? extent : c.bk) *
                     (gpu.narrow_row_clocks - bytes / gpu.load_bytes_per_clock);
  }

  /// Of these rows those that threads load and shift.
  double shiftedRows(double above, double beside) const {
    const bool isA = !isLoadedByTma(types, c, true),
               isB = !isLoadedByTma(types, c, false);
    return ((c.swapped ? isB : isA) ? above : 0) +
           ((c.swapped ? isA : isB) ? beside : 0);
  }

  /// Clocks, and what takes them.
  using Part = std::pair<double, std::string_view>;

  /// `count` times the same: each of `ctas` CTAs takes so many steps of K and
  /// stores so many tiles.
  struct Wave {
    double count, ctas, steps, epilogues;
    bool inStep; ///< CTAs want the same bytes at the same time.
    bool isLast; ///< No tile follows, whose loads would hide its epilogue.
  };

  /// Of a byte that a cluster's CTAs share, what each of them costs L2:
  /// requests of clusters for the same bytes at the same time meet on their
  /// way, those of two neighbours in the same pair of SMs at once; the last of
  /// an odd number has none.
  double fetches(const Wave &wave, int64_t tilesAtOnce, int64_t sharedBy,
                 bool areNeighbours) const {
    const auto shared = static_cast<double>(sharedBy);
    const double readers = static_cast<double>(tilesAtOnce) / shared;
    if (!wave.inStep || readers <= 1)
      return 1 / shared;
    const double requests = areNeighbours ? std::ceil(readers / 2) : readers;
    return std::min(1 + gpu.l2_reader * (requests - 1), gpu.l2_readers) /
           readers / shared;
  }

  /// Clocks in which L2 provides a stage.
  double l2Clocks(const Wave &wave) const {
    const bool single = tiling.ctas == 1;
    const double fetched =
        depth * (rows * fetches(wave, tiling.columnsAtOnce, c.cluster_n,
                                single && c.group == 1) +
                 columns * fetches(wave, tiling.rowsAtOnce, c.cluster_m,
                                   single && c.group > 1));
    return wave.ctas * (fetched / perClock(gpu.l2_terabytes_per_second) +
                        outsideRows(rows, columns) * gpu.outside_l2_clocks);
  }

  /// Either alone is a bound; GEMMs are nearest to the root of the sum of both
  /// squares (docs/benchmark.md, "Copies alone").
  double requestClocks(const Wave &wave) const {
    return std::hypot(wave.ctas * requests, requestsOfSm);
  }

  /// Few CTAs do not keep all of DRAM busy.
  double memoryClocks(const Wave &wave) const {
    return (start.dramBytes - preparedFromDram()) / stagesOfAll() *
           (1 + gpu.dram_row_bytes / depth) * (wave.ctas + gpu.dram_idle_ctas) /
           perClock(gpu.dram_terabytes_per_second);
  }

  /// The stages of the ring are on their way at once, but for those that the
  /// tensor cores read, and the one that another warpgroup stores from.
  double latencyClocks() const {
    const double reused = holdsUpRing() ? 1 : 0;
    return (clocks(gpu.stage_microseconds) +
            std::max(loadClocks(), turnClocks(rows, columns))) /
           std::max(static_cast<double>(c.stages) - gpu.held_stages - reused,
                    0.5);
  }

  /// How many stages all CTAs load together.
  double stagesOfAll() const {
    return static_cast<double>(tiling.clusters * tiling.ctas * tiling.steps);
  }

  void addWaves(GemmCost &cost, double &total) {
    const auto ctas = static_cast<double>(tiling.slots * tiling.ctas);
    const auto left = static_cast<double>(tiling.leftClusters * tiling.ctas);
    if (left > 0 && c.stream_k) {
      addStream(cost, total, ctas);
      return;
    }
    const auto whole =
        static_cast<double>(tiling.fullWaves - (left > 0 ? 0 : 1));
    add(cost, total, {whole, ctas, steps, 1, true, false});
    add(cost, total, {1, left > 0 ? left : ctas, steps, 1, true, true});
  }

  /// The steps of the last two waves in equal parts, which CTAs begin at
  /// different steps of K; who finishes a tile adds what others have of it.
  void addStream(GemmCost &cost, double &total, double ctas) {
    const auto whole =
        static_cast<double>(std::max<int64_t>(tiling.fullWaves - 1, 0));
    const double tiles = static_cast<double>(tiling.clusters) / ctas - whole;
    add(cost, total, {whole, ctas, steps, 1, true, false});
    add(cost, total,
        {1, ctas, tiles * steps, std::max(tiles, 1.0), false, true});
    const double others = std::ceil(1 / tiles);
    total += clocks(gpu.stream_microseconds) +
             others * (clocks(gpu.stream_other_microseconds) +
                       elements * static_cast<double>(size_bytes(f32)) /
                           gpu.stream_bytes_per_clock);
  }

  void add(GemmCost &cost, double &total, const Wave &wave) {
    const double load = loadClocks(), l2 = l2Clocks(wave),
                 memory = memoryClocks(wave);
    const Part stage = std::max({Part{load, "load"}, Part{l2, "l2"},
                                 Part{requestClocks(wave), "requests"},
                                 Part{stageMath.transposeClocks(), "transpose"},
                                 Part{latencyClocks(), "latency"}});
    const Part slowest = std::max(stage, Part{memory, "memory"});
    const double arrival = wave.steps * slowest.first;
    const double math = wave.steps * stageMath.clocks();
    const double epilogue = wave.epilogues * stores.clocks();
    const double between =
        wave.isLast ? 0 : wave.epilogues * nextTileClocks(wave);
    // Loads wait while results are on their way to L2.
    const double stores =
        wave.epilogues * gpu.stores_unhidden * writeClocks() + between;
    const bool isBare = wave.isLast && !c.ping_pong;
    const double after = isBare ? epilogue + stores : 0;
    const double work =
        isBare ? math
        : c.ping_pong
            ? std::max(math, (math + epilogue) / 2) + stores + gpu.turn_clocks
            : math + epilogue + gpu.restart_clocks + stores;
    if (const double time = wave.count * (std::max(work, arrival) + after);
        time > longest) {
      longest = time;
      cost.limit = after > std::max(work, arrival) ? "epilogue"
                   : work < arrival                ? slowest.second
                   : 2 * math < work               ? "epilogue"
                                                   : "math";
    }
    const double unhidden =
        gpu.unhidden * wave.ctas / static_cast<double>(gpu.sm_count);
    total += wave.count * (std::max(work, arrival) +
                           unhidden * std::min(work, arrival) + after);
    cost.math += microseconds(wave.count * math);
    cost.load += microseconds(wave.count * wave.steps * load);
    cost.l2 += microseconds(wave.count * wave.steps * l2);
    cost.memory += microseconds(wave.count * wave.steps * memory);
    cost.epilogue += microseconds(wave.count * between);
  }

  /// Whether a warpgroup stores from a stage that the other one's loads want.
  bool holdsUpRing() const { return c.ping_pong && c.store_buffers == 0; }

  /// What a tile's stores cost the loads of the next one.
  double nextTileClocks(const Wave &wave) const {
    return wave.ctas * partSectors * gpu.part_sector_clocks +
           (holdsUpRing() ? gpu.reused_stage_clocks : 0);
  }

  /// From shared memory to L2.
  double writeClocks() const {
    const auto ctas = static_cast<double>(
        std::min(tiling.clusters, tiling.slots) * tiling.ctas);
    return stores.bytes() /
           std::min(gpu.load_bytes_per_clock,
                    perClock(gpu.l2_terabytes_per_second) / ctas);
  }

  const GemmTypes &types;
  const GemmConfig &c;
  const GemmForm &form;
  const GpuModel &gpu;
  GemmTiling tiling;
  GemmStageMath stageMath;
  double depth;
  /// Rows and columns of tiles that are loaded, of each kind and on average.
  LoadedOfTiles ofRows, ofColumns;
  double rows, columns;
  double elements;
  GemmStores stores;
  double steps;
  /// Clocks that rows of boxes take, of those of all CTAs, and in each SM.
  double requests, requestsOfSm;
  double partSectors;
  double turns; ///< that groups of warps take of a tile's steps
  double preparedBytes, bytesOfLaunch, keptBytes, bytesFromDram;
  Start start = {};
  double longest = 0; ///< of the waves, in clocks
};

} // namespace

GemmCost gemm_cost(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmConfig &config, const GemmForm &form,
                   const GpuModel &gpu, SourceLocation where) {
  if (const std::string why = notCounts(config); !why.empty())
    throw Error({where.file_name(), where.line(), where.column()},
                "gemm_cost: " + why);
  return Model(atLeastOne(sizes), types, config, form, gpu).cost();
}

} // namespace ashlar
