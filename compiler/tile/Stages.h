// Which values are one stage, where loops and branches carry it.
#ifndef ASHLAR_COMPILER_TILE_STAGES_H
#define ASHLAR_COMPILER_TILE_STAGES_H

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

/// The acquire or wait that gave a stage, by itself or by `try_`; of what loops
/// and branches carry, the first of them. Null where there is none.
mlir::Operation *takerOf(mlir::Value stage);

/// The values that may be the same stage as this one, itself among them: where
/// loops and branches carry a stage it has several.
llvm::SmallVector<mlir::Value> valuesOfStage(mlir::Value stage);

} // namespace ashlar::tile

#endif
