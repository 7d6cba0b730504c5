// hopper-pin-written: what an arm of a branch writes to an accumulator, and is
// computed before the branch, stays computed there, though nobody else needs
// it. In the arm it would come before the arm's wait, and ptxas would compute
// it in the accumulator's registers (C7515).

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERPINWRITTEN
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct HopperPinWritten : impl::HopperPinWrittenBase<HopperPinWritten> {
  void runOnOperation() override {
    getOperation().walk([](hopper::AccumulatorWriteOp write) {
      auto branch = dyn_cast<scf::IfOp>(write->getParentOp());
      Value value = write.getValue();
      if (!branch ||
          branch->isAncestor(value.getParentRegion()->getParentOp()) ||
          isa_and_present<arith::ConstantOp, hopper::SplatOp,
                          hopper::UndefinedOp, hopper::PinOp>(
              value.getDefiningOp()))
        return;
      OpBuilder builder(branch);
      auto pin = hopper::PinOp::create(builder, branch.getLoc(),
                                       value.getType(), value);
      // For all behind it.
      value.replaceUsesWithIf(pin, [&](OpOperand &use) {
        Operation *user =
            pin->getBlock()->findAncestorOpInBlock(*use.getOwner());
        return user && pin->isBeforeInBlock(user);
      });
    });
  }
};

} // namespace
} // namespace ashlar
