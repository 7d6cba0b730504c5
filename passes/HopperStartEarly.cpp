// hopper-start-early: a role that loads works out where its first tile is
// before it waits: for the other roles, while the barriers are initialised, and
// for the launch before.

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Arithmetic.h"
#include "passes/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSTARTEARLY
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

bool isArithmetic(Operation &op) {
  return isMemoryEffectFree(&op) && !op.getNumRegions();
}

/// What an iteration computes of its number alone before it does anything, and
/// what may be computed for a number that has no iteration. Moves in front of
/// the loop what does not even depend on the number.
SetVector<Operation *> leadingArithmetic(scf::ForOp loop) {
  SetVector<Operation *> leading;
  for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
    if (!isArithmetic(op))
      break;
    auto isKnown = [&](Value value) {
      return value == loop.getInductionVar() ||
             leading.contains(value.getDefiningOp()) ||
             loop.isDefinedOutsideOfLoop(value);
    };
    const bool isScalar = llvm::all_of(op.getResultTypes(), [](Type type) {
      return type.isIntOrIndexOrFloat();
    });
    if (!isScalar || !isSpeculatable(&op) ||
        !llvm::all_of(op.getOperands(), isKnown))
      continue;
    if (llvm::all_of(op.getOperands(), [&](Value value) {
          return loop.isDefinedOutsideOfLoop(value);
        }))
      op.moveBefore(loop);
    else
      leading.insert(&op);
  }
  return leading;
}

/// The loop, which carries what an iteration starts with: computed before the
/// loop for the first, and by each for the next one.
scf::ForOp computeAhead(scf::ForOp loop) {
  const SetVector<Operation *> leading = leadingArithmetic(loop);
  auto isLeft = [&](OpOperand &use) {
    return !leading.contains(use.getOwner());
  };
  SmallVector<Value> used;
  for (Operation *op : leading)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUses(), isLeft))
        used.push_back(result);
  if (used.empty())
    return loop;

  auto compute = [&](OpBuilder &builder, Value number) {
    IRMapping map;
    map.map(loop.getInductionVar(), number);
    for (Operation *op : leading)
      builder.clone(*op, map);
    return llvm::map_to_vector(used, [&](Value v) { return map.lookup(v); });
  };
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  // In a block of its own: LLVM would move it behind the waits, and ptxas,
  // which schedules a barrier as early in its block as it can, leave it there.
  Value any = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                    loop.getLowerBound(), loop.getUpperBound());
  auto first = scf::IfOp::create(
      rewriter, loc, any,
      [&](OpBuilder &then, Location loc) {
        scf::YieldOp::create(then, loc, compute(then, loop.getLowerBound()));
      },
      [&](OpBuilder &otherwise, Location loc) {
        SmallVector<Value> zeros;
        for (Value value : used)
          zeros.push_back(arith::ConstantOp::create(
              otherwise, loc, otherwise.getZeroAttr(value.getType())));
        scf::YieldOp::create(otherwise, loc, zeros);
      });
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first.getResults(), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &end, Location loc, ArrayRef<BlockArgument> carried) {
        auto next = compute(end, Arithmetic{end, loc}.add(
                                     loop.getInductionVar(), loop.getStep()));
        for (auto [value, argument] : llvm::zip(used, carried))
          value.replaceUsesWithIf(argument, isLeft);
        return next;
      }));
  for (Operation *op : llvm::reverse(leading))
    rewriter.eraseOp(op);
  return carrying;
}

bool loads(hopper::RoleOp role) {
  return role
      .walk([](Operation *op) {
        return isa<hopper::TmaLoadOp, hopper::CopyTileOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void startEarly(Block &body) {
  // The next launch is let go in the author's order: after this one's wait,
  // mostly, so that grids beside each other take turns.
  SmallVector<Operation *> waits;
  Operation *first = nullptr;
  for (Operation &op : body)
    if (isa<hopper::SyncOp, hopper::GridWaitOp, hopper::GridReleaseOp>(op))
      waits.push_back(&op);
    else if (first = &op; !isArithmetic(op))
      break;
  if (waits.empty() || !first)
    return;
  if (auto loop = dyn_cast<scf::ForOp>(first))
    first = computeAhead(loop);
  for (Operation *wait : waits)
    wait->moveBefore(first);
}

struct HopperStartEarly : impl::HopperStartEarlyBase<HopperStartEarly> {
  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>())
      if (loads(role))
        startEarly(role.getBody().front());
  }
};

} // namespace
} // namespace ashlar
