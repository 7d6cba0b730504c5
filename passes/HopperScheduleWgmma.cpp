// hopper-schedule-wgmma: wgmma groups overlap as far as the data allows, and
// each release waits for exactly the group that read its stage.
//
// In a loop that only accumulates, one group stays in flight: the first
// iteration, which comes before the loop, issues its own; each other one issues
// its own, then waits for the one before, and releases the stage that one has
// read. Everywhere else a group is waited for before the first use of
// its accumulator and before the first release behind it.

#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSCHEDULEWGMMA
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The arrivals of a release at the builder's place, for another stage than its
/// own if one is given.
void emitArrivals(OpBuilder &builder, hopper::ReleaseOp release,
                  Value stage = {}) {
  auto arrivals = hopper::OncePerWarpOp::create(builder, release.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&arrivals.getBody().emplaceBlock());
  IRMapping map;
  map.map(release.getStage(), stage ? stage : release.getStage());
  for (Operation &op : release.getBody().front())
    builder.clone(op, map);
}

/// Commits, waits until `pending` groups are left, and puts what the wait gives
/// in the place of the accumulators for all later uses.
SmallVector<Value> commitAndWait(OpBuilder &builder, Location loc,
                                 ValueRange accumulators, int64_t pending) {
  hopper::WgmmaCommitOp::create(builder, loc);
  auto wait = hopper::WgmmaWaitOp::create(builder, loc, accumulators.getTypes(),
                                          pending, accumulators);
  for (auto [before, after] : llvm::zip(accumulators, wait.getResults()))
    before.replaceAllUsesExcept(after, wait);
  return SmallVector<Value>(wait.getResults());
}

/// Whether other threads may write, from here on, what wgmma in flight reads,
/// or this one does.
bool tellsOthers(Operation *op) {
  return isa<hopper::SharedStoreOp, hopper::NamedBarrierOp, hopper::SyncOp>(op);
}

/// A loop whose wgmma results only travel to its next iteration.
struct AccumulatingLoop {
  scf::ForOp loop;
  SmallVector<hopper::WgmmaOp>
      last;                        ///< the one that is yielded, per accumulator
  SmallVector<unsigned> carriedAt; ///< its number among the loop's results
  SmallVector<hopper::ReleaseOp> releases;

  static std::optional<AccumulatingLoop> match(scf::ForOp loop) {
    AccumulatingLoop result{loop, {}, {}, {}};
    Operation *lastWgmma = nullptr;
    for (Operation &op : *loop.getBody()) {
      if (auto release = dyn_cast<hopper::ReleaseOp>(op)) {
        result.releases.push_back(release);
        // With none to spare its next fill waits for this very release.
        if (release.getStages() < 2)
          return std::nullopt;
        continue;
      }
      auto wgmma = dyn_cast<hopper::WgmmaOp>(op);
      if (!wgmma) {
        // The stages of a pipeline are safe behind their barriers; what the
        // threads write themselves, or tell each other, is not.
        bool hidden = false;
        op.walk([&](Operation *inner) {
          hidden |= isa<hopper::WgmmaOp, hopper::ReleaseOp>(inner) ||
                    tellsOthers(inner);
        });
        if (hidden)
          return std::nullopt;
        continue;
      }
      if (!result.releases.empty() || !wgmma.getResult().hasOneUse())
        return std::nullopt;
      lastWgmma = wgmma;
      Operation *user = *wgmma.getResult().user_begin();
      if (isa<hopper::WgmmaOp>(user) && user->getBlock() == loop.getBody())
        continue;
      if (!isa<scf::YieldOp>(user))
        return std::nullopt;
      unsigned number = wgmma.getResult().use_begin()->getOperandNumber();
      Value chain = wgmma.getAccumulator();
      while (auto before = chain.getDefiningOp<hopper::WgmmaOp>())
        chain = before.getAccumulator();
      if (chain != loop.getRegionIterArg(number) || !chain.hasOneUse())
        return std::nullopt;
      result.last.push_back(wgmma);
      result.carriedAt.push_back(number);
    }
    return lastWgmma ? std::optional(result) : std::nullopt;
  }

  void schedule() {
    for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>())
      wgmma.setFence(true);

    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                              loop.getLowerBound(), loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs,
                                    /*withElseRegion=*/true);
    loop.replaceAllUsesWith(branch);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInits());
    builder.setInsertionPointToStart(branch.thenBlock());
    IRMapping first = peelFirst(builder);
    loop->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    startAfter(first);

    builder.setInsertionPointAfter(lastWgmma());
    commitAndWait(builder, last.back().getLoc(), accumulators(), 1);
    unsigned before = branch.getNumResults();
    for (auto [i, release] : llvm::enumerate(releases))
      emitArrivals(builder, release, loop.getRegionIterArg(before + i));

    builder.setInsertionPointAfter(loop);
    SmallVector<Value> results(loop.getResults().take_front(before)), carried;
    for (unsigned number : carriedAt)
      carried.push_back(results[number]);
    auto wait = hopper::WgmmaWaitOp::create(
        builder, loc, ValueRange(carried).getTypes(), 0, carried);
    for (auto [number, value] : llvm::zip(carriedAt, wait.getResults()))
      results[number] = value;
    for (auto [i, release] : llvm::enumerate(releases))
      emitArrivals(builder, release, loop.getResult(before + i));
    scf::YieldOp::create(builder, loc, results);
    for (auto release : releases)
      release.erase();
  }

private:
  /// The first iteration, which has no group to wait for, and overwrites
  /// accumulators that begin as zeros.
  IRMapping peelFirst(OpBuilder &builder) {
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    first.map(loop.getRegionIterArgs(), loop.getInits());
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<hopper::ReleaseOp>(op))
        continue;
      builder.clone(op, first);
      if (&op == lastWgmma())
        hopper::WgmmaCommitOp::create(builder, op.getLoc());
    }
    return first;
  }

  /// The loop goes on after its first iteration, and carries the stages of the
  /// iteration before.
  void startAfter(IRMapping &first) {
    IRRewriter rewriter(loop.getContext());
    rewriter.setInsertionPoint(loop);
    auto inFirst = [&](ValueRange values) {
      return llvm::map_to_vector(
          values, [&](Value value) { return first.lookupOrDefault(value); });
    };
    SmallVector<Value> stages;
    for (auto release : releases)
      stages.push_back(release.getStage());
    loop.setLowerBound(arith::AddIOp::create(
        rewriter, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
    loop.getInitArgsMutable().assign(inFirst(loop.getYieldedValues()));
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inFirst(stages), /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return stages;
        }));
  }

  Operation *lastWgmma() {
    Operation *result = nullptr;
    for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>())
      result = wgmma;
    return result;
  }
  SmallVector<Value> accumulators() {
    return llvm::map_to_vector(last,
                               [](auto op) { return Value(op.getResult()); });
  }
};

/// Waits before the first use, in program order.
void scheduleBlock(Block &block) {
  SmallVector<Value> inFlight;
  auto drain = [&](Operation *at) {
    if (inFlight.empty())
      return;
    OpBuilder builder(at);
    commitAndWait(builder, inFlight.back().getLoc(), inFlight, 0);
    inFlight.clear();
  };

  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op)) {
      auto it = llvm::find(inFlight, wgmma.getAccumulator());
      wgmma.setFence(it == inFlight.end());
      if (it != inFlight.end())
        *it = wgmma.getResult();
      else
        inFlight.push_back(wgmma.getResult());
      continue;
    }
    if (isa<hopper::WgmmaCommitOp, hopper::WgmmaWaitOp>(op))
      continue;
    bool uses = llvm::any_of(op.getOperands(), [&](Value operand) {
      return llvm::is_contained(inFlight, operand);
    });
    auto release = dyn_cast<hopper::ReleaseOp>(op);
    if (uses || release || op.getNumRegions() || tellsOthers(&op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      drain(&op);
    if (release) {
      OpBuilder builder(&op);
      emitArrivals(builder, release);
      release.erase();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (auto accumulating = AccumulatingLoop::match(loop)) {
        accumulating->schedule();
        continue;
      }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        scheduleBlock(inner);
  }
  if (!inFlight.empty()) {
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    commitAndWait(builder, inFlight.back().getLoc(), inFlight, 0);
  }
}

struct HopperScheduleWgmma
    : impl::HopperScheduleWgmmaBase<HopperScheduleWgmma> {
  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>())
      scheduleBlock(role.getBody().front());
  }
};

} // namespace
} // namespace ashlar
