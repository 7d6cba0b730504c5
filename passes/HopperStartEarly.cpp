// hopper-start-early: a role that loads works out where its first tile is
// before it waits: for the other roles, while the barriers are initialised, and
// for the launch before. Where its threads load by themselves, which takes many
// an address, it waits for that launch just before the first of these loads,
// and for CTAs of its own before the first that needs them.

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

bool touchesMemory(Operation &op) {
  return !isMemoryEffectFree(&op) &&
         !isa<hopper::MbarrierWaitOp, hopper::MbarrierArriveOp>(op);
}

/// The one loop in the body of a loop over tiles that does more than to wait at
/// barriers, if its threads load in there by themselves.
scf::ForOp loopOfLoads(scf::ForOp tiles) {
  scf::ForOp loads;
  for (Operation &op : *tiles.getBody()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop ? touchesMemory(op) : loads != nullptr)
      return {};
    if (loop)
      loads = loop;
  }
  auto isByThreads = [](Operation &op) {
    auto copy = dyn_cast<hopper::CopyTileOp>(op);
    return copy && !copy.isAsync();
  };
  return loads && llvm::any_of(*loads.getBody(), isByThreads) ? loads
                                                              : scf::ForOp();
}

bool isAwait(Operation &op) {
  auto once = dyn_cast<hopper::OnceOp>(op);
  return once && once.isAwait();
}

bool isOfRole(Operation &op) {
  auto barrier = dyn_cast<hopper::NamedBarrierOp>(op);
  return barrier && barrier.isOfRole();
}

/// Whether threads load what this kernel does not write.
bool isInput(Operation &op) {
  auto copy = dyn_cast<hopper::CopyTileOp>(op);
  return copy && !copy.isAsync() && !copy.getWritten();
}

/// Whether all that is awaited there is signalled by CTAs of this launch.
bool isSignalled(ArrayRef<Operation *> awaits) {
  auto isOfKernel = [](hopper::AwaitOp await) {
    return !await.getSystem() && llvm::any_of(await.getPointer().getUsers(),
                                              llvm::IsaPred<hopper::SignalOp>);
  };
  return llvm::all_of(awaits, [&](Operation *op) {
    return !op->walk([&](hopper::AwaitOp await) {
                return isOfKernel(await) ? WalkResult::advance()
                                         : WalkResult::interrupt();
              }).wasInterrupted();
  });
}

/// Waits in the first iteration of the inner loop that there is, or behind both
/// loops: for the launch before in front of what first touches memory, so that
/// what each iteration needs of the first tile is known by then, and for CTAs
/// of this launch in front of what first needs them.
void waitInside(scf::ForOp tiles, scf::ForOp loads,
                ArrayRef<Operation *> launches, ArrayRef<Operation *> awaits) {
  IRRewriter rewriter(tiles.getContext());
  const Location loc = tiles.getLoc();
  auto isWaiting = [&](OpBuilder &builder, bool value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 1);
  };
  rewriter.setInsertionPoint(loads);
  Value never = isWaiting(rewriter, false);
  loads = cast<scf::ForOp>(*loads.replaceWithAdditionalYields(
      rewriter, never, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &end, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{isWaiting(end, false)};
      }));
  rewriter.setInsertionPoint(tiles);
  Value atFirst = isWaiting(rewriter, true);
  Value afterwards = loads.getResults().back();
  tiles = cast<scf::ForOp>(*tiles.replaceWithAdditionalYields(
      rewriter, atFirst, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
        return SmallVector<Value>{afterwards};
      }));
  loads.getInitArgsMutable()
      .slice(loads.getInitArgs().size() - 1, 1)
      .assign(tiles.getRegionIterArgs().back());

  Operation *behind = tiles;
  auto place = [&](ArrayRef<Operation *> waits, Operation *before) {
    if (waits.empty())
      return;
    rewriter.setInsertionPoint(before);
    auto first =
        scf::IfOp::create(rewriter, loc, loads.getRegionIterArgs().back());
    for (Operation *wait : waits)
      wait->moveBefore(first.thenBlock()->getTerminator());
    rewriter.setInsertionPointAfter(behind);
    IRMapping isLeft;
    isLeft.map(first.getCondition(), tiles.getResults().back());
    behind = rewriter.clone(*first, isLeft);
  };
  // At its end where there is nothing.
  auto firstOf = [&](llvm::function_ref<bool(Operation &)> matches) {
    Block &body = *loads.getBody();
    auto found = llvm::find_if(body, matches);
    return found == body.end() ? body.getTerminator() : &*found;
  };
  Operation *touching = firstOf(touchesMemory);
  Operation *needing =
      firstOf([](Operation &op) { return touchesMemory(op) && !isInput(op); });
  place(launches, touching);
  place(awaits, isSignalled(awaits) ? needing : touching);
}

void startEarly(Block &body) {
  // The next launch is let go in the author's order: after this one's wait,
  // mostly, so that grids beside each other take turns.
  SmallVector<Operation *> meetings, launches, awaits;
  Operation *first = nullptr;
  for (Operation &op : body)
    if (isa<hopper::SyncOp>(op))
      meetings.push_back(&op);
    else if (isa<hopper::GridWaitOp, hopper::GridReleaseOp>(op) &&
             awaits.empty())
      launches.push_back(&op);
    else if (isAwait(op) || (isOfRole(op) && !awaits.empty()))
      awaits.push_back(&op);
    else if (first = &op; !isArithmetic(op))
      break;
  if ((meetings.empty() && launches.empty()) || !first)
    return;
  auto tiles = dyn_cast<scf::ForOp>(first);
  if (tiles)
    first = tiles = computeAhead(tiles);
  for (ArrayRef<Operation *> waits : {meetings, launches, awaits})
    for (Operation *wait : waits)
      wait->moveBefore(first);
  if (scf::ForOp loads = tiles ? loopOfLoads(tiles) : scf::ForOp())
    waitInside(tiles, loads, launches, awaits);
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
