// What a configuration of GEMM takes of an SM.
#pragma once

#include "ashlar/gemm_cost.h"

namespace ashlar {

/// Whether elements are multiplied as a big and a small part, in three
/// products.
bool isInParts(const GemmTypes &types);

/// Bytes of one stage: a tile of each operand.
int64_t stageBytes(const GemmTypes &types, const GemmConfig &config);

/// Columns of the tile that one CTA stores, in how many strips, and the columns
/// of a strip and of the last one.
int64_t storedColumns(const GemmConfig &config);
int64_t stripCount(const GemmConfig &config);
int64_t stripColumns(const GemmConfig &config);
int64_t lastStripColumns(const GemmConfig &config);

/// Of an operand that is prepared: rows and bytes of a row of what is copied at
/// a time, and how many such tiles are on their way.
inline constexpr int64_t preparedRows = 128, preparedBytes = 128,
                         preparedStages = 2;

/// Whether a CTA of math prepares so many tiles that it takes three sections of
/// K; else two.
inline constexpr int64_t tilesOfThreeSections = 8;
/// What a thread that prepares from register to register has on its way.
inline constexpr int64_t preparedBytesOfThread = 64;

/// Warpgroups that share a tile.
inline int64_t warpgroupsOfTile(const GemmConfig &config) {
  return config.ping_pong ? 1 : config.warpgroups;
}

/// Whether stages of an operand have K contiguous: always what wgmma does not
/// transpose.
bool isStagedKMajor(ElementType type, bool isOtherMajor);

/// Why TMA and wgmma don't take an operand as it is: rows begin on less than 16
/// bytes; K is not contiguous, and wgmma does not transpose the type.
struct Obstacles {
  bool isShifted, isOtherMajor;
  bool any() const { return isShifted || isOtherMajor; }
};
Obstacles obstaclesOfA(const GemmTypes &types);
Obstacles obstaclesOfB(const GemmTypes &types);

/// Whether what a tile's rows, or its columns, are cut from is transposed, by
/// registers or by a role of its own, and whether its stages have K
/// contiguous.
bool isAboveTransposed(const GemmConfig &config);
bool isBesideTransposed(const GemmConfig &config);
bool isAboveKMajor(const GemmTypes &types, const GemmConfig &config);
bool isBesideKMajor(const GemmTypes &types, const GemmConfig &config);

/// Whether TMA loads A, or B, or what is made of it.
bool isLoadedByTma(const GemmTypes &types, const GemmConfig &config, bool isA);

/// Of how many rows the parts of a tile are with `edge_parts`, which a cluster
/// shares in whole swizzle atoms.
int64_t rowsOfPart(const GemmConfig &config, bool isAbove);
/// The same, of an operand: all of the tile's rows where it is copied as a
/// whole.
int64_t edgePart(const GemmTypes &types, const GemmConfig &config,
                 bool isAbove);
/// The rows of a tile in parts of which none lies in the matrix, if so many of
/// the tile's rows do.
int64_t rowsOfOutsideParts(const GemmTypes &types, const GemmConfig &config,
                           int64_t inside, bool isAbove);

/// Whether the rows of a tile of sums are columns where D is stored.
bool storesTransposed(const GemmTypes &types, const GemmConfig &config);

/// Whether TMA can store strips of this width, and a narrower last one.
bool areStripsStorable(const GemmTypes &types, const GemmConfig &config);
/// What the columns of a strip are a multiple of: of whole units of TMA and of
/// a fragment's columns.
int64_t stripUnit(const GemmTypes &types);
/// The most columns of a strip.
int64_t mostStripColumns(const GemmTypes &types);

/// Bytes of a strip.
int64_t stripBytes(const GemmTypes &types, const GemmConfig &config);
/// How many strips the first or second tile of a stage holds, when the epilogue
/// reuses one.
int64_t stripsInTile(const GemmTypes &types, const GemmConfig &config,
                     int64_t tile);
/// Bytes of shared memory of their own through which results are stored.
int64_t stagingBytes(const GemmTypes &types, const GemmConfig &config);

/// Bytes for the other parts' sums of the share of a tile that a CTA adds up.
int64_t splitBytes(const GemmConfig &config);

/// Bytes of shared memory through which operands are prepared.
int64_t preparedStageBytes(const GemmTypes &types, const GemmConfig &config);
/// Whether they go there: one is transposed, or they are short integers, which
/// registers hold as s32.
bool isPreparedThroughShared(const GemmTypes &types, const GemmConfig &config);
/// Whether one is transposed there.
bool isPreparedTransposed(const GemmTypes &types, const GemmConfig &config);

/// Of a stage with parts of bf16, which a part of is no whole swizzle atom of
/// theirs; of how many columns parts are made at a time; and the most
/// warpgroups of math that leave who makes them registers.
constexpr int64_t depthOfBf16Parts = 32, columnsOfBf16Parts = 32,
                  warpgroupsOfBf16Parts = 2;

/// How many tiles there are of what a role makes of stages: parts of f32, or
/// transposed columns; and their bytes.
int64_t madeStages(const GemmTypes &types);
int64_t madeBytes(const GemmTypes &types, const GemmConfig &config);

/// All shared memory of a block.
int64_t sharedBytes(const GemmTypes &types, const GemmConfig &config,
                    const GpuModel &gpu);

/// Whether two blocks run beside each other on an SM.
bool fitsTwice(const GemmTypes &types, const GemmConfig &config,
               const GemmForm &form, const GpuModel &gpu);

/// Registers of a thread that hold sums; what leaves the tensor cores has them
/// twice.
int64_t accumulatorRegisters(const GemmTypes &types, const GemmConfig &config);

/// Registers that threads of the roles have: with many sums in a thread of math
/// the loader has barely enough. With few and little beside them the roles have
/// no budgets (`load` is 0), as setting them takes time: `math` is then what
/// the assembler has to give.
struct RoleRegisters {
  int64_t load, math;
  /// Of the role that makes something of stages, if there is one.
  int64_t made = 0;
  /// Of the role that prepares beside math, if there is one.
  int64_t prepare = 0;
};
RoleRegisters roleRegisters(const GemmTypes &types, const GemmConfig &config,
                            const GemmForm &form = {});

/// How many products of a stage have sums of their own, which are added when
/// all have begun: of f32 as many as there are registers for, so that rows are
/// loaded and taken apart under the products before.
int64_t productsTogether(const GemmTypes &types, const GemmConfig &config);

/// Whether what an addition of products to a sum of f32 rounds off is kept and
/// goes into the next one: where threads have few sums, as of problems with few
/// rows or columns, whose K is long.
bool isCompensated(const GemmTypes &types, const GemmConfig &config);

/// Whether whoever makes parts of a stage of f32 rounds the stage as well.
bool isStageRounded(const GemmTypes &types, const GemmConfig &config);

/// How many parts of a stage of f32 whoever makes them holds at a time.
int64_t partsTogether(const GemmTypes &types, const GemmConfig &config);

/// Sections of K in which operands are prepared, at most: the first by math,
/// the others by a role of their own, under the products of those before; or
/// one.
int64_t preparedSections(const GemmTypes &types, const GemmConfig &config,
                         const GemmForm &form);

/// How often threads that load and shift wait for what they have asked for of a
/// stage: once, where they have registers for all of it.
int64_t loadBatches(const GemmTypes &types, const GemmConfig &config);

/// Whether hopper-overlap-products finds registers for the products of two
/// stages, those of one in flight while the others are added to the sums.
bool isProductInFlight(const GemmTypes &types, const GemmConfig &config);

/// Whether a thread has registers for the values of a strip beside its sums,
/// where what is done with them holds all of a strip at a time.
bool areStripsInRegisters(const GemmTypes &types, const GemmConfig &config,
                          const GemmForm &form);

/// Of a thread of math, those that hold a stage's rows of the tile, where they
/// are transposed on their way through registers.
int64_t operandRegisters(const GemmTypes &types, const GemmConfig &config);

/// What a thread of math has less than usual, where a role transposes stages.
int64_t registersGivenUp(const GemmTypes &types, const GemmConfig &config);

/// The most registers for the sums of a tile together with a part's share of
/// them, with split-K.
int64_t splitLimit(const GemmTypes &types, const GemmConfig &config,
                   const GemmForm &form);

/// The most `accumulatorRegisters` that leave enough for addresses, and for an
/// operand in parts.
int64_t accumulatorLimit(const GemmTypes &types, const GemmConfig &config);

/// Which number of a configuration is none, in a sentence; empty if all will
/// do.
std::string notCounts(const GemmConfig &config);

/// Why no kernel of a configuration can be built, for problems of any size, and
/// what would fit, in a sentence; empty if one can.
std::string notBuildable(const GemmTypes &types, const GemmConfig &config,
                         const GemmForm &form);

/// Whether sums leave the tensor cores during the main loop, and what of a
/// stage's depth is multiplied before they do: all of it, if they do not.
bool isPromoted(const GemmTypes &types);
int64_t productDepth(const GemmTypes &types, const GemmConfig &config);
/// How often they leave in a stage, once at least.
int64_t productsOfStage(const GemmTypes &types, const GemmConfig &config);

/// s32 for integers, f32 for all else.
ElementType sumType(const GemmTypes &types);

} // namespace ashlar
