// What CTAs and launches that wait for one another require.

#include "compiler/tile/Verify.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ashlar::tile {

namespace {

LogicalResult checkCounter(Operation *op, Value counter,
                           OperandRange coordinates) {
  auto declaration = counter.getDefiningOp<TensorOp>();
  auto type = cast<TensorType>(counter.getType());
  if (!type.getElementType().isInteger(32))
    return op->emitOpError("counts in ")
           << elementName(type.getElementType()) << "; a counter is s32";
  if (declaration && declaration.getAccess() != Access::inout)
    return op->emitOpError("counts in tensor '")
           << declaration.getName() << "', which is declared as "
           << stringifyAccess(declaration.getAccess())
           << ": counters are read and written, declare it as inout";
  return checkCoordinates(op, type, coordinates);
}

} // namespace

LogicalResult SignalOp::verify() {
  return checkCounter(*this, getCounter(), getCoordinates());
}

LogicalResult AwaitOp::verify() {
  return checkCounter(*this, getCounter(), getCoordinates());
}

namespace {

/// Waits stand directly in a role: a branch may be passed by, a loop waits
/// again.
LogicalResult checkNoWaitInside(RoleOp role) {
  LogicalResult result = success();
  role.walk([&](WaitLaunchOp wait) {
    if (wait->getParentOp() != role)
      result = wait.emitError("wait_for_previous_launch stands in a loop or "
                              "branch; a role waits once: move it out of it");
  });
  return result;
}

/// What of an operation, if anything, reads or writes global memory.
Operation *globalAccess(Operation *op) {
  Operation *found = nullptr;
  op->walk([&](Operation *inner) {
    if (!found && isa<CopyOp, CopyOutOp, LoadOp, StoreOp, ReduceIntoOp, ValueOp,
                      AtomicOp, SignalOp, AwaitOp, TakeOp>(inner))
      found = inner;
  });
  return found;
}

} // namespace

LogicalResult checkLaunchWaits(RoleOp role) {
  if (failed(checkNoWaitInside(role)))
    return failure();
  auto waits = role.getBody().getOps<WaitLaunchOp>();
  if (waits.empty())
    return success();
  WaitLaunchOp first = *waits.begin();
  if (!role->getParentOfType<KernelOp>().getProgrammaticLaunch())
    return first.emitError("a role waits for the launch before in a kernel "
                           "that starts when it is done: declare the kernel "
                           "with programmatic_launch, or leave the wait out");
  for (Operation &op : *first->getBlock()) {
    if (&op == first)
      break;
    if (Operation *access = globalAccess(&op))
      return access->emitError(
          "this touches memory before the role waits for the launch before, "
          "which may still write there; until then a role may only prefetch: "
          "move it behind wait_for_previous_launch()");
  }
  return success();
}

LogicalResult LastIfOp::verify() {
  RoleOp role = roleOf(*this);
  auto loop = dyn_cast_if_present<scf::ForOp>((*this)->getParentOp());
  if (!role || !loop)
    return emitOpError("stands in no loop's own body");
  if (loop.getStep().getDefiningOp<ScheduleRangeOp>())
    return emitOpError("ends a tile loop, which ends with its tiles, of all "
                       "roles: loop over a range");
  return success();
}

} // namespace ashlar::tile
