// What the passes before must have written down: asked for, not assumed.
#ifndef ASHLAR_PASSES_PRECONDITIONS_H
#define ASHLAR_PASSES_PRECONDITIONS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Every shared tile and every fragment has a layout.
llvm::LogicalResult demandLayouts(mlir::Operation *kernel);

/// Each stage has a pipeline.
llvm::LogicalResult demandStages(tile::KernelOp kernel);

/// The kernel has a plan, and each stage a pipeline.
llvm::LogicalResult demandPlan(tile::KernelOp kernel);

} // namespace ashlar

#endif
