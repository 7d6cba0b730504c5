// Whether the roles of a kernel go through their stages in step.
#ifndef ASHLAR_PASSES_STAGES_STAGESINSTEP_H
#define ASHLAR_PASSES_STAGES_STAGESINSTEP_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Whether the roles take stages of these pipelines in the same steps, as far
/// as it can be told. A step is what a role takes between two nests of loops
/// and branches. The roles run the same nests, with bounds and conditions that
/// are the same expressions, or leave some out; what is filled of a pipeline in
/// a step is drained in that step; and no role waits for others by other means.
///
/// A role that waits in a step for a stage to be full then waits for a producer
/// in that step or before it. If the stages that it holds of each pipeline
/// leave those free that the rest of its step takes, this producer waits for a
/// role in a step before. So of all that wait, one can go on.
bool takeStagesInStep(tile::KernelOp kernel,
                      llvm::ArrayRef<mlir::Value> pipelines);

/// How many stages of a pipeline a role waits for in its step from this
/// operation on, which is one that takes a stage of one of `pipelines`.
int64_t leftInStep(mlir::Operation *taking, mlir::Value pipeline,
                   llvm::ArrayRef<mlir::Value> pipelines);

} // namespace ashlar

#endif
