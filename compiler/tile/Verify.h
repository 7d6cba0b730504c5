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

/// What a role of so many threads holds is shared out among as many.
mlir::LogicalResult checkFragments(mlir::Operation *role, int64_t threads);

/// A role that waits by itself for the launches before has touched nothing that
/// they may write.
mlir::LogicalResult checkLaunchWaits(RoleOp role);

} // namespace ashlar::tile

#endif
