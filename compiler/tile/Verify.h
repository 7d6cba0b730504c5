// What the verifiers of the tile dialect share.
#ifndef ASHLAR_COMPILER_TILE_VERIFY_H
#define ASHLAR_COMPILER_TILE_VERIFY_H

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

/// "128x64"
std::string dimensions(llvm::ArrayRef<int64_t> shape);

/// As many coordinates as the tensor has dimensions.
mlir::LogicalResult checkCoordinates(mlir::Operation *op, TensorType tensor,
                                     mlir::OperandRange coordinates);

/// Only a matrix is transposed.
mlir::LogicalResult checkTransposed(mlir::Operation *op, int64_t rank,
                                    bool transposed);

/// A fragment and the shared tile that it is read from or written to.
mlir::LogicalResult checkSharedFragment(mlir::Operation *op, SharedType shared,
                                        mlir::RankedTensorType fragment,
                                        bool transposed = false);

/// What is broadcast, and cut, from one fragment to another.
mlir::LogicalResult checkBroadcast(mlir::Operation *op,
                                   mlir::RankedTensorType source,
                                   mlir::RankedTensorType result,
                                   llvm::ArrayRef<int64_t> along);
mlir::LogicalResult checkSlice(mlir::Operation *op,
                               mlir::RankedTensorType source,
                               mlir::RankedTensorType result,
                               llvm::ArrayRef<int64_t> offsets);

/// A parameter whose type a thread can hold.
mlir::LogicalResult checkScalar(mlir::Operation *op);

/// What a wgmma multiplies and adds to, by a role of so many warps.
mlir::LogicalResult checkMma(mlir::Operation *op, SharedType a, SharedType b,
                             mlir::RankedTensorType sum, bool transposeA,
                             bool transposeB, llvm::StringRef role,
                             int64_t warps);

/// What a role of so many threads holds is shared out among as many.
mlir::LogicalResult checkFragments(mlir::Operation *role, int64_t threads);

/// A role that waits by itself for the launches before has touched nothing that
/// they may write.
mlir::LogicalResult checkLaunchWaits(RoleOp role);

} // namespace ashlar::tile

#endif
