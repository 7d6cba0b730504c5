#include "GemmCandidates.h"
#include "GemmResources.h"
#include "ashlar/gemm_auto.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace ashlar {

namespace {

using target::wgmmaColumnStep, target::wgmmaDepthBytes;
using target::wgmmaMostColumns, target::wgmmaRows;

/// Rows of a swizzle atom: what a multicast can't cut.
constexpr int64_t atomRows = target::swizzleRows;
constexpr int64_t clusterLimit = target::portableCluster, warpgroupLimit = 3;
constexpr int64_t boxRows = target::tmaBoxExtent;

std::string number(int64_t value) { return std::to_string(value); }

/// What is summed outside of the tensor cores.
std::string promoted(const GemmTypes &types) {
  return isInParts(types) ? "f32" : "fp8 summed in full";
}

std::string notTile(const GemmTypes &types, const GemmConfig &c) {
  if (c.warpgroups > warpgroupLimit)
    return number(c.warpgroups) + " warpgroups of math have too few registers" +
           " each: use warpgroups = " + number(warpgroupLimit) + " or fewer";
  const int64_t rows = wgmmaRows * warpgroupsOfTile(c);
  if (c.bm % rows || c.bm > boxRows)
    return "the tile has " + number(c.bm) + " rows; " +
           (c.ping_pong || c.warpgroups == 1
                ? "a warpgroup needs"
                : number(c.warpgroups) + " warpgroups need") +
           " a multiple of " + number(rows) + " up to " + number(boxRows) +
           ": use bm = " +
           number(std::min(rows * ((c.bm + rows - 1) / rows),
                           boxRows / rows * rows));
  const bool isExact = sumType(types) == s32;
  if (!target::isWgmmaColumns(c.bn, isExact)) {
    int64_t columns = std::min(c.bn, wgmmaMostColumns);
    while (!target::isWgmmaColumns(columns, isExact))
      ++columns;
    return "the tile has " + number(c.bn) + " columns; wgmma has " +
           (isExact ? "8, 24 or a multiple of 16"
                    : "a multiple of " + number(wgmmaColumnStep)) +
           " up to " + number(wgmmaMostColumns) +
           ": use bn = " + number(columns);
  }
  const int64_t depth = wgmmaDepthBytes / size_bytes(types.a);
  if (c.bk % depth)
    return "a stage is " + number(c.bk) + " deep; wgmma takes " +
           number(depth) + " of " + std::string(name(types.a)) +
           " at a time: use bk = " + number((c.bk + depth - 1) / depth * depth);
  if (const int64_t product = productDepth(types, c); c.bk % product)
    return "a stage is " + number(c.bk) + " deep; " + promoted(types) +
           " leaves the tensor cores after each " + number(product) +
           ": use a multiple of that, or less";
  if (c.bf16_parts && !isInParts(types))
    return "bf16_parts is for f32, which alone has parts: use bf16_parts = "
           "false";
  if (c.bf16_parts && c.bk != depthOfBf16Parts)
    return "a stage is " + number(c.bk) + " deep; bf16_parts are made of " +
           number(depthOfBf16Parts) + " at a time: use that for bk";
  if (c.bf16_parts && c.bn % columnsOfBf16Parts)
    return "the tile has " + number(c.bn) +
           " columns; bf16_parts are made of " + number(columnsOfBf16Parts) +
           " at a time: use a multiple";
  if (c.bf16_parts && c.warpgroups > warpgroupsOfBf16Parts)
    return number(c.warpgroups) +
           " warpgroups of math leave the one that makes bf16_parts too few "
           "registers: use " +
           number(warpgroupsOfBf16Parts);
  if (c.ping_pong && c.warpgroups != 2)
    return "ping_pong is for 2 warpgroups with a tile each, not " +
           number(c.warpgroups) + ": use warpgroups = 2";
  return "";
}

std::string notRegisters(const GemmTypes &types, const GemmConfig &c) {
  const int64_t sums = accumulatorRegisters({}, c);
  // Sums of other CTAs are added a strip at a time, beside all of this one's.
  const int64_t streamLimit = 160 - registersGivenUp(types, c);
  if (c.stream_k && sums > streamLimit)
    return "the sums of a tile of " + number(c.bm) + "x" + number(c.bn) +
           " take " + number(sums) +
           " registers of a thread; stream_k, which "
           "adds other CTAs' to them, can spare " +
           number(streamLimit) +
           ": use bn = " + number(c.bn * streamLimit / sums / 8 * 8);
  const int64_t used = accumulatorRegisters(types, c);
  const int64_t limit = accumulatorLimit(types, c);
  if (used <= limit)
    return "";
  if (const int64_t columns = target::wgmmaColumnStep;
      isAboveTransposed(c) && limit * c.bn < used * columns)
    return "a stage's rows take " + number(operandRegisters(types, c)) +
           " registers of a thread, and the next one's as many, which leaves " +
           number(std::max<int64_t>(limit, 0)) +
           " for sums: use bk = " + number(productDepth(types, c) / 2) +
           ", or a smaller bm";
  // Split-K cuts the columns into as many parts.
  const int64_t unit = target::wgmmaStep(sumType(types) == s32) * c.split,
                columns = c.bn * limit / used / unit * unit;
  return "the sums of a tile of " + number(c.bm) + "x" + number(c.bn) +
         " take " + number(used) + " registers of a thread" +
         (isPromoted(types) ? ", as " + promoted(types) + " has them twice"
                            : "") +
         "; " + number(limit) + " can be spared: use " +
         (columns > 0 ? "bn = " + number(columns) : "a smaller tile");
}

/// How an operand is brought to the tensor cores.
struct Way {
  char matrix, extent;
  Obstacles is;
  bool isPrepared, isTransposed, isShared; ///< by CTAs of the cluster

  /// Of the configuration's: "prepared_a".
  std::string field(const char *what) const {
    return what + std::string(matrix == 'A' ? "_a" : "_b");
  }
};

/// How an operand that has not K contiguous gets it.
std::string notTransposed(const GemmTypes &types, const GemmConfig &c,
                          const Way &way) {
  const std::string matrix(1, way.matrix), extent(1, way.extent);
  const std::string prepared = way.field("prepared"),
                    transposed = way.field("transposed");
  if (way.is.isOtherMajor && !way.isPrepared && !way.isTransposed)
    return matrix + " is " + std::string(name(types.a)) + " and stored K×" +
           extent + "; wgmma transposes elements of 16 bits only: use " +
           prepared + " = true, which copies it so that K is contiguous, " +
           transposed + " = true, which transposes it stage by stage, or " +
           "store it " + extent + "×K";
  if (!way.isTransposed)
    return "";
  if (way.isPrepared)
    return matrix + " is prepared, from which on it has K contiguous: use " +
           prepared + " or " + transposed;
  if (!way.is.isOtherMajor)
    return "the tensor cores take " + matrix + " as it is stored: use " +
           transposed + " = false";
  if (way.is.isShifted)
    return "rows of " + matrix + " begin on less than the 16 bytes that TMA " +
           "needs, and stages are transposed as TMA leaves them: use " +
           prepared + " = true";
  const bool isAbove = (way.matrix == 'A') != c.swapped;
  if (isInParts(types) && !isAbove)
    return "stages of f32 are taken apart by the warpgroup that would " +
           std::string("transpose them: use ") + prepared + " = true";
  if (isAbove && (way.matrix == 'A' ? types.a : types.b) == u8)
    return matrix +
           " is u8, which registers have not, and through them rows "
           "of the tile are transposed: use swapped = " +
           (c.swapped ? "false" : "true") + ", or " + prepared + " = true";
  const int64_t unit = target::tmaAlignment / size_bytes(types.a);
  if (!isAbove && c.bn % unit)
    return "a stage of " + matrix + " has " + number(c.bn) +
           " elements in a row, and TMA stores 16 bytes at a time: use bn = " +
           number((c.bn + unit - 1) / unit * unit);
  return "";
}

/// How operands that TMA or wgmma does not take as they are get to the stages.
std::string notLoads(const GemmTypes &types, const GemmConfig &c) {
  constexpr int64_t besideSums = 32;
  // Of deeper stages each row lies in several blocks, with an address each.
  const bool isDeep = c.bk * size_bytes(types.a) > target::mostSwizzleBytes;
  const int64_t fewestRegisters = isDeep ? 128 : 64;
  bool isAnyShifted = false;
  for (const Way &way :
       {Way{'A', 'M', obstaclesOfA(types), c.prepared_a, c.transposed_a,
            (c.swapped ? c.cluster_m : c.cluster_n) > 1},
        Way{'B', 'N', obstaclesOfB(types), c.prepared_b, c.transposed_b,
            (c.swapped ? c.cluster_n : c.cluster_m) > 1}}) {
    const std::string flag = way.field("prepared") + " = true";
    std::string reason = notTransposed(types, c, way);
    if (!reason.empty())
      return reason;
    if (way.isPrepared || !way.is.isShifted)
      continue;
    isAnyShifted = true;
    if (c.load_warps == 1)
      return std::string("rows of ") + way.matrix +
             " begin on less than the 16 bytes that TMA needs: use " + flag +
             (isInParts(types) || c.transposed_a || c.transposed_b
                  ? ""
                  : ", or load_warps = 8");
    if (way.isShared)
      return std::string("rows of ") + way.matrix + " are loaded by threads, " +
             "which can't share them with the cluster: use " + flag +
             ", or a cluster along the other dimension";
  }
  if (c.load_warps > 1 &&
      (isInParts(types) || c.transposed_a || c.transposed_b))
    return "load_warps is " + number(c.load_warps) + ", and " +
           (isInParts(types) ? "the warpgroup that takes f32 apart has"
                             : "what transposes stages needs") +
           " their registers: use load_warps = 1 and prepared operands";
  if (c.load_warps > 1 && !isAnyShifted)
    return "load_warps is " + number(c.load_warps) + ", and TMA loads all " +
           "operands, for which a warp is enough: use load_warps = 1";
  const RoleRegisters registers = roleRegisters(types, c);
  if (c.load_warps > 1 && registers.load < fewestRegisters)
    return "math leaves threads that load " +
           number(std::max<int64_t>(registers.load, 0)) +
           " registers each, and they hold what is on its way in " +
           number(fewestRegisters) + " at least: use a smaller " +
           (isDeep ? "bk" : "tile");
  // The assembler wants the sums to fit before roles trade registers.
  const int64_t atEntry =
      target::entryRegisters(target::warpgroupThreads * c.warpgroups +
                             target::warpThreads * c.load_warps);
  if (c.load_warps > 1 && accumulatorRegisters(types, c) + besideSums > atEntry)
    return "the sums of a tile of " + number(c.bm) + "x" + number(c.bn) +
           " take " + number(accumulatorRegisters(types, c)) +
           " registers of a thread, and beside " + number(c.load_warps) +
           " warps that load it starts with " + number(atEntry) +
           ": use a smaller tile";
  // One wgmma has half a register for each column.
  const int64_t besideTransposing =
      target::entryRegisters(target::warpgroupThreads * (c.warpgroups + 2));
  const int64_t ofOperand = operandRegisters(types, c);
  if (isBesideTransposed(c) &&
      c.bn / 2 + ofOperand + besideSums > besideTransposing)
    return "a wgmma of " + number(c.bn) + " columns sums in " +
           number(c.bn / 2) + " registers of a thread, and beside a " +
           "warpgroup that transposes it starts with " +
           number(besideTransposing) + ": use bn = " +
           number((besideTransposing - ofOperand - besideSums) * 2 /
                  wgmmaColumnStep * wgmmaColumnStep);
  if ((c.prepared_a || c.prepared_b) && c.warpgroups > 2)
    return "operands are prepared by " + number(c.warpgroups) +
           " warpgroups, which can't share the work evenly: use warpgroups = 1 "
           "or 2";
  return "";
}

std::string notCluster(const GemmTypes &types, const GemmConfig &c) {
  const int64_t ctas = c.cluster_m * c.cluster_n * c.split;
  if (ctas > clusterLimit)
    return "a cluster of " + number(c.cluster_m) + "x" + number(c.cluster_n) +
           (c.split > 1 ? " and split-K over " + number(c.split) : "") +
           " has " + number(ctas) + " CTAs; " + number(clusterLimit) +
           " is the most: use a smaller one";
  // An operand that has K contiguous is cut in rows, another one in depth.
  for (auto [isKMajor, rows, name, parts, cluster] :
       {std::tuple{isAboveKMajor(types, c), c.bm, "bm", c.cluster_n,
                   "cluster_n"},
        std::tuple{isBesideKMajor(types, c), c.bn, "bn", c.cluster_m,
                   "cluster_m"}}) {
    const int64_t extent = isKMajor ? rows : c.bk;
    const std::string dimension = isKMajor ? name : "bk";
    const int64_t unit =
        std::lcm(parts * atomRows, dimension == "bm" ? wgmmaRows : atomRows);
    if (extent % (parts * atomRows))
      return dimension + " is " + number(extent) + "; " + number(parts) +
             " CTAs share it in slices of whole swizzle atoms of 8 rows: use " +
             (unit <= wgmmaMostColumns
                  ? "a multiple of " + number(unit) + ", or "
                  : "") +
             cluster + " = " + number(std::gcd(extent / atomRows, parts));
  }
  return "";
}

std::string notDepth(const GemmSizes &sizes, const GemmConfig &c) {
  const int64_t steps = (sizes.k + c.bk - 1) / c.bk;
  if (c.split > std::max<int64_t>(steps, 1))
    return "K has " + number(steps) + " stages, too few for split-K over " +
           number(c.split) + " CTAs: use split = 1";
  return "";
}

std::string notSplit(const GemmTypes &types, const GemmConfig &c,
                     const GemmForm &form) {
  // With fewer a thread would not have the 4 sums that it moves at once.
  if (const int64_t unit = c.split * 8; c.split > 1 && c.bn % unit)
    return "split-K over " + number(c.split) + " CTAs leaves each " +
           number(c.bn / c.split) + " of " + number(c.bn) +
           " columns to add up; it needs a multiple of 8: use bn = " +
           number(std::min((c.bn + unit - 1) / unit, wgmmaMostColumns / unit) *
                  unit);
  const int64_t sums = accumulatorRegisters({}, c);
  const int64_t limit = splitLimit(types, c, form);
  if (c.split > 1 && sums + sums / c.split > limit) {
    const int64_t most = limit * c.split / (c.split + 1);
    return "split-K over " + number(c.split) + " CTAs holds the " +
           number(sums) + " sums of a thread and its share of them, in " +
           number(limit) + " registers at most: use bn = " +
           number(c.bn * most / sums / (c.split * 8) * c.split * 8);
  }
  return "";
}

std::string notStores(const GemmTypes &types, const GemmConfig &c) {
  if (areStripsStorable(types, c))
    return "";
  const int64_t unit = stripUnit(types), stored = storedColumns(c);
  const int64_t most = mostStripColumns(types) / unit * unit;
  GemmConfig other = c;
  for (other.store_columns = most; other.store_columns > 0;
       other.store_columns -= unit)
    if (areStripsStorable(types, other))
      return "the " + number(stored) + " columns of a CTA are stored by " +
             number(stripColumns(c)) + " of " + std::string(name(types.d)) +
             ", the last " + number(lastStripColumns(c)) +
             "; TMA stores multiples of " + number(unit) + " up to " +
             number(most) + ", and last fewer than a block of the others' " +
             "swizzle, or whole ones: use store_columns = " +
             number(other.store_columns);
  return "no store of " + std::string(name(types.d)) + " in multiples of " +
         number(unit) + " columns cuts the " + number(stored) +
         " of a CTA: use a multiple of " + number(unit);
}

std::string notStrips(const GemmTypes &types, const GemmConfig &c,
                      const GemmForm &form) {
  if (areStripsInRegisters(types, c, form))
    return "";
  GemmConfig other = c;
  for (other.store_columns = stripColumns(c) - stripUnit(types);
       other.store_columns > 0; other.store_columns -= stripUnit(types))
    if (areStripsStorable(types, other) &&
        areStripsInRegisters(types, other, form))
      break;
  return "what is done with strips of " + number(stripColumns(c)) +
         " columns takes more registers than the sums of a tile of " +
         number(c.bm) + "x" + number(c.bn) + " leave: use " +
         (other.store_columns > 0
              ? "store_columns = " + number(other.store_columns)
              : "a smaller tile");
}

std::string notShared(const GemmTypes &types, const GemmConfig &c) {
  const GpuModel gpu = h200();
  const int64_t used = sharedBytes(types, c, gpu);
  if (used <= gpu.shared_bytes)
    return "";
  const int64_t stage = stageBytes(types, c);
  const int64_t stages = (gpu.shared_bytes - (used - c.stages * stage)) / stage;
  return "it takes " + number(used) +
         " bytes of shared memory and a block has " + number(gpu.shared_bytes) +
         ": use " +
         (stages > 1    ? "at most " + number(stages) + " stages"
          : stages == 1 ? "1 stage"
                        : "a smaller tile");
}

std::string notKept(const GemmConfig &c) {
  for (auto [value, what] :
       {std::pair{c.kept_a, "kept_a"}, std::pair{c.kept_b, "kept_b"}})
    if (value < 0 || value > 16)
      return std::string(what) + " is " + number(value) +
             ": use 0 to 16 sixteenths";
  return "";
}

/// Why an operand is copied as a whole, in spite of `edge_parts`.
std::string wholeOperand(const GemmTypes &types, const GemmConfig &c,
                         bool isA) {
  const std::string operand = isA ? "A" : "B";
  if (!isLoadedByTma(types, c, isA))
    return operand + " is loaded by threads";
  const bool isAbove = isA != c.swapped;
  if (!(isAbove ? isAboveKMajor(types, c) : isBesideKMajor(types, c)))
    return operand + " is not stored with K contiguous";
  return "a tile has " + number(isAbove ? c.bm : c.bn) + " rows of " + operand +
         ", a part " + number(rowsOfPart(c, isAbove));
}

std::string notEdgeParts(const GemmTypes &types, const GemmConfig &c) {
  if (!c.edge_parts || edgePart(types, c, true) < c.bm ||
      edgePart(types, c, false) < c.bn)
    return "";
  return "edge_parts has nothing to take apart: " +
         wholeOperand(types, c, true) + ", and " +
         wholeOperand(types, c, false) + ": use edge_parts = false";
}

std::string notReusedStage(const GemmTypes &types, const GemmConfig &c) {
  if (c.store_buffers == 0 && (isInParts(types) || isBesideTransposed(c)))
    return "results are staged in a stage of the ring, and the stages of " +
           std::string(isInParts(types) ? "f32" : "what is transposed") +
           " are taken by another role: use store_buffers = 1";
  if (c.store_buffers > 0 || stripsInTile(types, c, 0) > 0 ||
      stripsInTile(types, c, 1) > 0)
    return "";
  GemmConfig other = c;
  for (other.store_columns =
           stripColumns(c) / stripUnit(types) * stripUnit(types);
       other.store_columns > 0; other.store_columns -= stripUnit(types))
    if (areStripsStorable(types, other) &&
        stripsInTile(types, other, 0) + stripsInTile(types, other, 1) > 0)
      break;
  return "results are staged in a stage of the ring, and no tile of it holds "
         "the " +
         number(stripBytes(types, c)) + " bytes of " + number(stripColumns(c)) +
         " columns: use " +
         (other.store_columns > 0
              ? "store_columns = " + number(other.store_columns)
              : "store_buffers = 1");
}

std::string notStreamK(const GemmConfig &c) {
  if (!c.stream_k)
    return "";
  if (c.cluster_m * c.cluster_n > 1)
    return "stream_k deals out steps of K to single CTAs, and a cluster of " +
           number(c.cluster_m) + "x" + number(c.cluster_n) +
           " shares them: use a cluster of 1x1";
  if (c.split > 1)
    return "stream_k cuts K itself, where it is of use: use split = 1";
  if (c.ping_pong)
    return "stream_k adds up a tile in all warpgroups, and with ping_pong each "
           "has a tile of its own: use one of the two";
  if (c.store_buffers == 0)
    return "stream_k stores only the tiles that it finishes, and reuses no "
           "stage for it: use a buffer";
  return "";
}

} // namespace

std::string notCounts(const GemmConfig &c) {
  // More than any of them can be, and no product of them overflows.
  constexpr int64_t most = 1 << 15;
  for (auto [value, what] :
       {std::pair{c.bm, "bm"}, std::pair{c.bn, "bn"}, std::pair{c.bk, "bk"},
        std::pair{c.stages, "stages"}, std::pair{c.warpgroups, "warpgroups"},
        std::pair{c.cluster_m, "cluster_m"},
        std::pair{c.cluster_n, "cluster_n"}, std::pair{c.split, "split"},
        std::pair{c.group, "group"},
        std::pair{c.store_columns, "store_columns"}})
    if (value < 1 || value > most)
      return std::string(what) + " is " + number(value) + ": use 1 to " +
             number(most);
  if (c.store_buffers < 0 || c.store_buffers > most)
    return "store_buffers is " + number(c.store_buffers) + ": use 1 to " +
           number(most) + ", or 0 to stage results in the ring";
  if (c.load_warps != 1 && c.load_warps != 4 && c.load_warps != 8)
    return "load_warps is " + number(c.load_warps) + ": use 1, 4 or 8";
  if (c.load_groups < 1 || c.load_warps % c.load_groups)
    return number(c.load_warps) + " warps load in " + number(c.load_groups) +
           " groups: use a load_groups that divides load_warps";
  if (c.stages % c.load_groups)
    return number(c.load_groups) + " groups of warps take " + number(c.stages) +
           " stages in turns: use a multiple for stages, " +
           "or another load_groups";
  return "";
}

std::string notBuildable(const GemmTypes &types, const GemmConfig &config,
                         const GemmForm &form) {
  std::string reason = notTypes(types, form);
  auto orElse = [&](auto check) {
    if (reason.empty())
      reason = check();
  };
  orElse([&] { return notCounts(config); });
  orElse([&] { return notKept(config); });
  orElse([&] { return notTile(types, config); });
  orElse([&] { return notRegisters(types, config); });
  orElse([&] { return notStreamK(config); });
  orElse([&] { return notLoads(types, config); });
  orElse([&] { return notCluster(types, config); });
  orElse([&] { return notEdgeParts(types, config); });
  orElse([&] { return notSplit(types, config, form); });
  orElse([&] { return notStores(types, config); });
  orElse([&] { return notStrips(types, config, form); });
  orElse([&] { return notReusedStage(types, config); });
  orElse([&] { return notShared(types, config); });
  return reason;
}

std::string why_not(const GemmSizes &sizes, const GemmTypes &types,
                    const GemmConfig &config, const GemmForm &form) {
  std::string reason = notTypes(types, form);
  auto orElse = [&](auto check) {
    if (reason.empty())
      reason = check();
  };
  orElse([&] { return notProblem(sizes, types, form); });
  orElse([&] { return notAligned(sizes, types); });
  orElse([&] { return notBuildable(types, config, form); });
  orElse([&] { return notDepth(sizes, config); });
  return reason;
}

} // namespace ashlar
