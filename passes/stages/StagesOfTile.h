// How many stages a role takes for a tile that is not its own.
#ifndef ASHLAR_PASSES_STAGES_STAGESOFTILE_H
#define ASHLAR_PASSES_STAGES_STAGESOFTILE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/stages/HeldStages.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

/// The pipelines of which an operation, or what is in it, takes stages.
llvm::SetVector<SideOfPipeline> stagesTakenIn(mlir::Operation *op);

/// How many stages of a pipeline the body of a tile loop takes, computed at the
/// builder's place for another tile: `ofTile` has its coordinates for those of
/// the body. Refuses, at the author's line, what the body alone can tell.
llvm::FailureOr<mlir::Value> countStages(mlir::OpBuilder &builder,
                                         mlir::Block &body,
                                         SideOfPipeline stages,
                                         mlir::IRMapping &ofTile);

} // namespace ashlar

#endif
