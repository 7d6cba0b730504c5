// hopper-pin-written: what an arm of a branch writes to an accumulator, and is
// computed before the branch, stays computed there, though nobody else needs
// it. In the arm it would come before the arm's wait, and ptxas would compute
// it in the accumulator's registers (C7515).
//
// So does what is computed of an accumulator and needed behind the next wgmma.
// LLVM would compute it where it is needed, and ptxas copy all that the wgmma
// writes over.

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERPINWRITTEN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether a value need not be pinned: nothing computes it, or it is pinned.
bool isThere(Value value) {
  return isa_and_present<arith::ConstantOp, hopper::SplatOp,
                         hopper::UndefinedOp, hopper::PinOp>(
      value.getDefiningOp());
}

/// Pins a value for all behind the builder's place.
void pin(OpBuilder builder, Location loc, Value value) {
  auto pin = hopper::PinOp::create(builder, loc, value.getType(), value);
  value.replaceUsesWithIf(pin, [&](OpOperand &use) {
    Operation *user = pin->getBlock()->findAncestorOpInBlock(*use.getOwner());
    return user && pin->isBeforeInBlock(user);
  });
}

void pinWritten(hopper::AccumulatorWriteOp write) {
  auto branch = dyn_cast<scf::IfOp>(write->getParentOp());
  Value value = write.getValue();
  if (branch && !branch->isAncestor(value.getParentRegion()->getParentOp()) &&
      !isThere(value))
    pin(OpBuilder(branch), branch.getLoc(), value);
}

/// Whether a wgmma comes before whoever needs a result first.
bool multipliesBeforeUse(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers())
    users.insert(op->getBlock()->findAncestorOpInBlock(*user));
  for (op = op->getNextNode(); op && !users.contains(op);
       op = op->getNextNode())
    if (op->walk([](hopper::WgmmaOp) {
            return WalkResult::interrupt();
          }).wasInterrupted())
      return true;
  return false;
}

void pinComputed(hopper::AccumulatorReadOp read) {
  for (Operation *op : llvm::to_vector(read->getUsers())) {
    if (op->getBlock() != read->getBlock() || op->getNumResults() != 1 ||
        op->use_empty() || isThere(op->getResult(0)))
      continue;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() != 32 || !multipliesBeforeUse(op))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    pin(builder, op->getLoc(), op->getResult(0));
  }
}

struct HopperPinWritten : impl::HopperPinWrittenBase<HopperPinWritten> {
  void runOnOperation() override {
    getOperation().walk(pinWritten);
    getOperation().walk(pinComputed);
  }
};

} // namespace
} // namespace ashlar
