// What the plan of a kernel says of each of its operations.
#ifndef ASHLAR_COMPILER_TILE_PLAN_H
#define ASHLAR_COMPILER_TILE_PLAN_H

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

/// The kernel must have a plan. The first gives bytes from the start of shared
/// memory.
int64_t offsetOf(AllocOp alloc);
RingPlanAttr planOf(PipelineOp pipeline);
RolePlanAttr planOf(RoleOp role);
ClusterPlanAttr planOf(ClusterReduceOp op);

/// Those of a kernel, in the order of its text.
llvm::SmallVector<ClusterReduceOp> clusterReductionsOf(KernelOp kernel);

} // namespace ashlar::tile

#endif
