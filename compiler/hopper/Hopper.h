// The hopper dialect: mbarriers, TMA, wgmma and named barriers.
#ifndef ASHLAR_COMPILER_HOPPER_HOPPER_H
#define ASHLAR_COMPILER_HOPPER_HOPPER_H

#include "compiler/tile/Tile.h"

#include "compiler/hopper/HopperDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/hopper/HopperTypes.h.inc"

#define GET_OP_CLASSES
#include "compiler/hopper/HopperOps.h.inc"

namespace ashlar::hopper {

/// Shared memory of one instance of a role for what arrives from the CTAs of a
/// cluster_reduce, in as many slots.
int64_t exchangeBytes(tile::ClusterReduceOp op);
int64_t exchangeSlots(tile::ClusterReduceOp op);
int64_t exchangeSlotBytes(tile::ClusterReduceOp op);
/// What arrives in a slot: the values of a fragment, of threads that hold the
/// same those of the first.
int64_t exchangedBytes(tile::ClusterReduceOp op);
inline constexpr int64_t exchangeAlignment = 16;

/// Whether wgmma reads the registers of an accumulator as A, or as what it is
/// told of a sparse A.
bool isOperandA(mlir::Value accumulator);

/// A part of a fragment, from `offsets` on, as it lies in the whole.
llvm::LogicalResult checkPart(mlir::Operation *op, mlir::RankedTensorType whole,
                              mlir::RankedTensorType part,
                              llvm::ArrayRef<int64_t> offsets);

} // namespace ashlar::hopper

#endif
