// hopper-join-once: a branch or a loop in which one thread loads, and the
// others do nothing, is that thread's; what it does at two places with nothing
// but arithmetic between them it does at the second.

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/InRole.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERJOINONCE
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The `hopper.once` that ends right before an operation, but for arithmetic.
hopper::OnceOp onceBefore(Operation *op) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (auto once = dyn_cast<hopper::OnceOp>(before))
      return once;
    if (!isPure(before))
      break;
  }
  return {};
}

/// Has the one thread take a branch or a loop, in place of all.
void takeOnce(Operation *op) {
  op->walk([](hopper::OnceOp once) {
    once->getBlock()->getOperations().splice(
        once->getIterator(), once.getBody().front().getOperations());
    once.erase();
  });
  OpBuilder builder(op);
  byOneThread(builder, op->getLoc(), [&] {
    op->moveBefore(builder.getInsertionBlock(), builder.getInsertionPoint());
  });
}

struct HopperJoinOnce : impl::HopperJoinOnceBase<HopperJoinOnce> {
  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>()) {
      role.walk<WalkOrder::PreOrder>([](Operation *op) {
        if (!isa<scf::IfOp, scf::ForOp>(op) || op->getNumResults() ||
            !onlyLoadsOnce(op))
          return WalkResult::advance();
        takeOnce(op);
        return WalkResult::skip();
      });
      SmallVector<hopper::OnceOp> all;
      role.walk([&](hopper::OnceOp once) { all.push_back(once); });
      for (hopper::OnceOp once : all)
        if (hopper::OnceOp before = onceBefore(once)) {
          Block &body = once.getBody().front();
          body.getOperations().splice(body.begin(),
                                      before.getBody().front().getOperations());
          before.erase();
        }
    }
  }
};

} // namespace
} // namespace ashlar
