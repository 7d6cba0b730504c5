#include "passes/Preconditions.h"

#include "compiler/target/Target.h"
#include "llvm/ADT/STLExtras.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Types of the values that an operation makes.
SmallVector<Type> typesOf(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(types, block.getArgumentTypes());
  return types;
}

LogicalResult demandLayout(Operation *op, Type type) {
  if (isa<RankedTensorType>(type) && !tile::fragmentOf(type))
    return op->emitError("has a fragment without a layout; which thread holds "
                         "what of it is not known: give its type one, as "
                         "tile-assign-layouts does");
  if (auto shared = dyn_cast<tile::SharedType>(type);
      shared && !shared.getLayout())
    return op->emitError("has a shared tile without a layout; where its "
                         "elements lie is not known: give its type one, as "
                         "tile-assign-layouts does");
  if (auto pipeline = dyn_cast<tile::PipelineType>(type))
    for (Type tile : pipeline.getTiles())
      if (failed(demandLayout(op, tile)))
        return failure();
  return success();
}

bool isPlace(std::optional<uint64_t> offset) {
  return offset && *offset < uint64_t(target::sharedBytes);
}

} // namespace

LogicalResult demandLayouts(Operation *kernel) {
  WalkResult walked = kernel->walk([](Operation *op) {
    for (Type type : typesOf(op))
      if (failed(demandLayout(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult demandPlan(tile::KernelOp kernel) {
  auto unplanned = [&](Operation *op) {
    return op->emitError("kernel '")
           << kernel.getSymName()
           << "' has no memory plan; run tile-plan-memory first";
  };
  int64_t threads = kernel.getThreads().value_or(0);
  if (!kernel.getSharedBytes() ||
      *kernel.getSharedBytes() > uint64_t(target::sharedBytes) ||
      threads < target::warpThreads || threads > target::mostThreads ||
      threads % target::warpThreads ||
      kernel.getBody().getOps<tile::RoleOp>().empty())
    return unplanned(kernel);
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto alloc = dyn_cast<tile::AllocOp>(op))
      if (!isPlace(alloc.getOffset()))
        return unplanned(op);
    if (auto sum = dyn_cast<tile::ClusterSumOp>(op))
      if (!isPlace(sum.getOffset()) || !isPlace(sum.getBarrierOffset()))
        return unplanned(op);
    if (auto role = dyn_cast<tile::RoleOp>(op)) {
      uint64_t warps = threads / target::warpThreads,
               own = role.getWarps() * role.getInstances();
      if (!role.getFirstWarp() || own > warps ||
          *role.getFirstWarp() > warps - own ||
          (role.getInstances() > 1 && !isPlace(role.getTurnOffset())))
        return unplanned(op);
    }
    for (Value result : op->getResults())
      if (isa<tile::StageType>(result.getType()) && !tile::pipelineOf(result))
        return op->emitError("gives a stage that no acquire or wait gave");
    auto ring = dyn_cast<tile::PipelineOp>(op);
    if (!ring)
      return success();
    if (!isPlace(ring.getOffset()) || !isPlace(ring.getBarrierOffset()) ||
        !isPlace(ring.getStageBytes()) || !ring.getTileOffsets() ||
        ring.getTileOffsets()->size() !=
            ring.getResult().getType().getTiles().size() ||
        !llvm::all_of(*ring.getTileOffsets(), isPlace))
      return unplanned(op);
    return success();
  });
  return failure(walked.wasInterrupted());
}

} // namespace ashlar
