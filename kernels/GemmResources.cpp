#include "GemmResources.h"
#include "GemmTiling.h"
#include "compiler/target/Target.h"

#include <algorithm>

namespace ashlar {

ElementType sumType(const GemmTypes &types) {
  return types.a == s8 || types.a == u8 ? s32 : f32;
}

bool isInParts(const GemmTypes &types) { return types.a == f32; }

bool isPromoted(const GemmTypes &types) {
  return isInParts(types) ||
         (size_bytes(types.a) == 1 && sumType(types) == f32 &&
          types.accumulation == Accumulation::full);
}

/// The depth in K after which sums of the tensor cores are too inaccurate.
static int64_t promotedDepth(const GemmTypes &types) {
  // They cut off what is beyond f32's bits, each time to the same side: after
  // 32 of K that is less than what f32 rounds off by itself, summed in order.
  return isInParts(types) ? 32 : 128;
}

int64_t productDepth(const GemmTypes &types, const GemmConfig &c) {
  return isPromoted(types) ? std::min(c.bk, promotedDepth(types)) : c.bk;
}

int64_t productsOfStage(const GemmTypes &types, const GemmConfig &c) {
  return ceilDiv(c.bk, productDepth(types, c));
}

int64_t stageBytes(const GemmTypes &types, const GemmConfig &c) {
  return (c.bm * size_bytes(types.a) + c.bn * size_bytes(types.b)) * c.bk;
}

int64_t storedColumns(const GemmConfig &c) { return c.bn / c.split; }

int64_t stripColumns(const GemmConfig &c) {
  return std::min(c.store_columns, storedColumns(c));
}

int64_t stripCount(const GemmConfig &c) {
  return (storedColumns(c) + stripColumns(c) - 1) / stripColumns(c);
}

int64_t lastStripColumns(const GemmConfig &c) {
  return storedColumns(c) - (stripCount(c) - 1) * stripColumns(c);
}

bool isStagedKMajor(ElementType type, bool isOtherMajor) {
  return !isOtherMajor || size_bytes(type) != 2;
}

Obstacles obstaclesOfA(const GemmTypes &types) {
  const GemmLayout &layout = types.layout;
  return {layout.align_a < target::tmaAlignment,
          layout.a_m_major && isStagedKMajor(types.a, true)};
}

Obstacles obstaclesOfB(const GemmTypes &types) {
  const GemmLayout &layout = types.layout;
  return {layout.align_b < target::tmaAlignment,
          layout.b_n_major && isStagedKMajor(types.b, true)};
}

bool isAboveTransposed(const GemmConfig &c) {
  return c.swapped ? c.transposed_b : c.transposed_a;
}

bool isBesideTransposed(const GemmConfig &c) {
  return c.swapped ? c.transposed_a : c.transposed_b;
}

bool isAboveKMajor(const GemmTypes &types, const GemmConfig &c) {
  return !isAboveTransposed(c) &&
         isStagedKMajor(types.a, c.swapped ? types.layout.b_n_major
                                           : types.layout.a_m_major);
}

bool isBesideKMajor(const GemmTypes &types, const GemmConfig &c) {
  return !isBesideTransposed(c) &&
         isStagedKMajor(types.a, c.swapped ? types.layout.a_m_major
                                           : types.layout.b_n_major);
}

bool isLoadedByTma(const GemmTypes &types, const GemmConfig &c, bool isA) {
  return isA ? c.prepared_a || !obstaclesOfA(types).isShifted
             : c.prepared_b || !obstaclesOfB(types).isShifted;
}

int64_t rowsOfPart(const GemmConfig &c, bool isAbove) {
  constexpr int64_t least = 32;
  const int64_t slices =
      target::swizzleRows * (isAbove ? c.cluster_n : c.cluster_m);
  return ceilDiv(least, slices) * slices;
}

int64_t edgePart(const GemmTypes &types, const GemmConfig &c, bool isAbove) {
  const int64_t extent = isAbove ? c.bm : c.bn;
  const bool isKMajor =
      isAbove ? isAboveKMajor(types, c) : isBesideKMajor(types, c);
  if (!c.edge_parts || !isKMajor ||
      !isLoadedByTma(types, c, isAbove != c.swapped))
    return extent;
  return std::min(extent, rowsOfPart(c, isAbove));
}

int64_t rowsOfOutsideParts(const GemmTypes &types, const GemmConfig &c,
                           int64_t inside, bool isAbove) {
  const int64_t extent = isAbove ? c.bm : c.bn,
                part = edgePart(types, c, isAbove);
  return part == extent
             ? 0
             : std::max<int64_t>(extent - ceilDiv(inside, part) * part, 0);
}

bool storesTransposed(const GemmTypes &types, const GemmConfig &c) {
  return c.swapped != types.layout.d_m_major;
}

int64_t stripUnit(const GemmTypes &types) {
  return std::max<int64_t>(16 / size_bytes(types.d), 8);
}

int64_t mostStripColumns(const GemmTypes &types) {
  return 128 / size_bytes(types.d);
}

bool areStripsStorable(const GemmTypes &types, const GemmConfig &c) {
  const int64_t strip = stripColumns(c), last = lastStripColumns(c);
  if (strip % stripUnit(types) || last % stripUnit(types) ||
      strip > mostStripColumns(types))
    return false;
  // The last strip lies in rows of as many columns as a swizzle atom has.
  const int64_t atom = strip & -strip;
  return storesTransposed(types, c) || last < atom || last % atom == 0;
}

int64_t stripBytes(const GemmTypes &types, const GemmConfig &c) {
  return c.bm * stripColumns(c) * size_bytes(types.d);
}

int64_t stripsInTile(const GemmTypes &types, const GemmConfig &c,
                     int64_t tile) {
  const int64_t bytes =
      (tile == 0 ? c.bm * size_bytes(types.a) : c.bn * size_bytes(types.b)) *
      c.bk;
  return std::min(bytes / stripBytes(types, c), stripCount(c));
}

int64_t stagingBytes(const GemmTypes &types, const GemmConfig &c) {
  const int64_t tiles = c.ping_pong ? c.warpgroups : 1;
  return tiles * stripBytes(types, c) *
         std::min(c.store_buffers, stripCount(c));
}

int64_t splitBytes(const GemmConfig &c) {
  const int64_t tiles = c.ping_pong ? c.warpgroups : 1;
  return tiles * (c.split - 1) * c.bm * c.bn / c.split * size_bytes(f32);
}

bool isPreparedThroughShared(const GemmTypes &types, const GemmConfig &c) {
  auto goes = [&](ElementType type, bool isOtherMajor) {
    return sumType(types) == s32 ||
           (isOtherMajor && isStagedKMajor(type, isOtherMajor));
  };
  return (c.prepared_a && goes(types.a, types.layout.a_m_major)) ||
         (c.prepared_b && goes(types.b, types.layout.b_n_major));
}

bool isPreparedTransposed(const GemmTypes &types, const GemmConfig &c) {
  return (c.prepared_a && obstaclesOfA(types).isOtherMajor) ||
         (c.prepared_b && obstaclesOfB(types).isOtherMajor);
}

int64_t preparedStageBytes(const GemmTypes &types, const GemmConfig &c) {
  // A pipeline more has barriers of its own.
  constexpr int64_t barrierBytes = 256;
  return isPreparedThroughShared(types, c)
             ? preparedStages * preparedRows * preparedBytes + barrierBytes
             : 0;
}

int64_t madeStages(const GemmTypes &types) {
  // The tensor cores read two transposed stages while a third one is written.
  return isInParts(types) ? 2 : 3;
}

int64_t madeBytes(const GemmTypes &types, const GemmConfig &c) {
  return isInParts(types) || isBesideTransposed(c)
             ? madeStages(types) * c.bn * c.bk * size_bytes(types.a)
             : 0;
}

int64_t sharedBytes(const GemmTypes &types, const GemmConfig &c,
                    const GpuModel &gpu) {
  return c.stages * stageBytes(types, c) + madeBytes(types, c) +
         stagingBytes(types, c) + splitBytes(c) + preparedStageBytes(types, c) +
         gpu.shared_slack_bytes;
}

} // namespace ashlar
