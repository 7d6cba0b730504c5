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
SumPlanAttr planOf(ClusterSumOp sum);

/// The sums of a kernel, in the order of its text.
llvm::SmallVector<ClusterSumOp> sumsOf(KernelOp kernel);

} // namespace ashlar::tile

#endif
