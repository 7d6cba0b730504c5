#include "compiler/tile/Stages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar::tile {

using namespace mlir;

namespace {

/// A value that a loop or a branch carries: which one.
struct Carried {
  Operation *by = nullptr;
  unsigned number = 0;
};

Carried carriedAs(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop =
        dyn_cast_if_present<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar()
               ? Carried{loop, argument.getArgNumber() - 1}
               : Carried();
  }
  Operation *op = value.getDefiningOp();
  return isa<scf::ForOp, scf::IfOp>(op)
             ? Carried{op, cast<OpResult>(value).getResultNumber()}
             : Carried();
}

Carried carriedBy(OpOperand &use) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
    return use.getOperandNumber() < loop.getNumControlOperands()
               ? Carried()
               : Carried{loop,
                         use.getOperandNumber() - loop.getNumControlOperands()};
  Operation *around = use.getOwner()->getParentOp();
  return isa<scf::YieldOp>(use.getOwner()) && isa<scf::ForOp, scf::IfOp>(around)
             ? Carried{around, use.getOperandNumber()}
             : Carried();
}

/// What a carried value is before the loop, or at the end of a body. Text may
/// be wrong and have fewer.
SmallVector<Value> sourcesOf(Carried carried) {
  SmallVector<Value> sources;
  auto add = [&](OperandRange operands) {
    if (carried.number < operands.size())
      sources.push_back(operands[carried.number]);
  };
  if (auto loop = dyn_cast<scf::ForOp>(carried.by))
    add(loop.getInitArgs());
  for (Region &region : carried.by->getRegions())
    for (Block &block : region)
      if (block.mightHaveTerminator())
        add(block.getTerminator()->getOperands());
  return sources;
}

} // namespace

Operation *takerOf(Value stage) {
  // Text may be wrong, and a stage come from itself.
  llvm::SmallPtrSet<void *, 4> seen;
  for (Carried carried = carriedAs(stage); carried.by;
       carried = carriedAs(stage)) {
    SmallVector<Value> sources = sourcesOf(carried);
    if (sources.empty() || !seen.insert(stage.getAsOpaquePointer()).second)
      return nullptr;
    stage = sources.front();
  }
  Operation *op = stage.getDefiningOp();
  return isa_and_present<AcquireOp, TryAcquireOp, WaitOp, TryWaitOp>(op)
             ? op
             : nullptr;
}

SmallVector<Value> valuesOfStage(Value stage) {
  llvm::SetVector<Value> values;
  SmallVector<Value> left{stage};
  auto add = [&](Carried carried) {
    if (!carried.by)
      return;
    llvm::append_range(left, sourcesOf(carried));
    if (auto loop = dyn_cast<scf::ForOp>(carried.by))
      left.push_back(loop.getRegionIterArg(carried.number));
    left.push_back(carried.by->getResult(carried.number));
  };
  while (!left.empty()) {
    const Value value = left.pop_back_val();
    if (!values.insert(value))
      continue;
    add(carriedAs(value));
    for (OpOperand &use : value.getUses())
      add(carriedBy(use));
  }
  return values.takeVector();
}

} // namespace ashlar::tile
