#include "passes/Preconditions.h"

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

/// Whether elements of four bits lie one by one.
bool liesByHalves(Type type) {
  if (auto shared = dyn_cast<tile::SharedType>(type))
    return bool(tile::pairOf(shared.getElementType()));
  auto fragment = dyn_cast<RankedTensorType>(type);
  return fragment && tile::pairOf(fragment.getElementType());
}

LogicalResult demandLayout(Operation *op, Type type) {
  if (liesByHalves(type))
    return op->emitError("has elements of four bits, which have no byte of "
                         "their own: run tile-pair-elements first");
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
  if (!kernel.getPlan() || kernel.getBody().getOps<tile::RoleOp>().empty())
    return kernel.emitError("kernel '")
           << kernel.getSymName()
           << "' has no memory plan; run tile-plan-memory first";
  return demandStages(kernel);
}

LogicalResult demandStages(tile::KernelOp kernel) {
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      if (isa<tile::StageType>(result.getType()) && !tile::pipelineOf(result))
        return op->emitError("gives a stage that no acquire or wait gave");
    return success();
  });
  return failure(walked.wasInterrupted());
}

} // namespace ashlar
