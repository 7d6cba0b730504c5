// hopper-schedule-wgmma: each wgmma is a group, groups overlap as far as the
// data allows, and a release comes behind the group that read its stage.
//
// The analysis of what is in flight says where an operation needs a group
// complete, and how many younger ones may stay in flight: that is where the
// waits go. A release that would have to wait for the youngest group is put off
// until another one follows or something else waits, over the end of an
// iteration too (DeferredReleases.h).

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/in_flight/DeferredReleases.h"
#include "passes/in_flight/InFlight.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSCHEDULEWGMMA
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Waits {
public:
  explicit Waits(hopper::KernelOp kernel)
      : kernel(kernel), plan({.waits = true, .releases = true}) {}

  void place() {
    kernel.walk([&](Operation *op) {
      if (auto left = plan.groupsLeft(op))
        waits.push_back({op, *left, op});
    });
    waitInArms();
    findWaitingLoops();
    waitAgainOverIterations();
    for (auto role : kernel.getBody().getOps<hopper::RoleOp>())
      if (!plan.atEnd(role).pending().empty()) {
        OpBuilder builder = OpBuilder::atBlockEnd(&role.getBody().front());
        hopper::WgmmaWaitOp::create(builder, role.getLoc(), 0,
                                    !waitingLoops.empty());
      }
    for (auto [before, left, cause] : waits) {
      if (left == 0 && issuesInItsLoop(cause))
        sayWhy(reasonOf(cause));
      OpBuilder builder(before);
      hopper::WgmmaWaitOp::create(builder, cause->getLoc(), left,
                                  isBehindWaitingLoop(cause));
    }
  }

private:
  /// Where an arm of a branch writes an accumulator and others go on with wgmma
  /// on it, ptxas wants to see one wait of the arm before what is written is
  /// computed (C7515); a second one is as wrong as none.
  void waitInArms() {
    llvm::SmallPtrSet<Block *, 8> waiting;
    for (auto [op, left, cause] : waits)
      if (left == 0)
        waiting.insert(op->getBlock());
    kernel.walk([&](hopper::AccumulatorWriteOp write) {
      if (isa<scf::IfOp>(write->getParentOp()) &&
          waiting.insert(write->getBlock()).second)
        waits.push_back({&write->getBlock()->front(), 0, write});
    });
  }

  /// The accumulators of groups that go on into the next iteration of a loop,
  /// are waited for there with others left in flight, and read.
  void findWaitingLoops() {
    for (auto [op, left, cause] : waits) {
      auto loop = op->getParentOfType<scf::ForOp>();
      if (!loop || !left)
        continue;
      for (const Pending &entry : plan.before(op).pending())
        if (entry.resource.isAccumulator() && entry.younger >= left &&
            !llvm::all_of(
                entry.issuers,
                [&](auto *issuer) { return isInThisIteration(issuer, op); }) &&
            isTouchedIn(loop, entry.resource.value))
          waitingLoops.insert(loop);
    }
  }

  /// ptxas forgets over the end of an iteration what a wait has completed if it
  /// leaves others in flight, and injects one that leaves none (C7517): so a
  /// loop waits again where it touches what it has waited for in the iteration
  /// before.
  void waitAgainOverIterations() {
    llvm::SmallPtrSet<Operation *, 8> waiting;
    for (auto [op, left, cause] : waits)
      waiting.insert(op);
    kernel.walk([&](scf::ForOp loop) {
      bool isKnown = false; // of what is in flight at this point
      for (Operation &op : *loop.getBody()) {
        isKnown |= waiting.contains(&op);
        if (isa<hopper::WgmmaCommitOp>(op))
          isKnown = false;
        if (!isa<hopper::AccumulatorReadOp, hopper::AccumulatorWriteOp>(op) ||
            isKnown || !isIssuedOnlyBehind(op, loop))
          continue;
        int64_t inFlight = 0;
        for (const Pending &entry : plan.before(&op).pending())
          inFlight = std::max(inFlight, entry.younger + 1);
        if (inFlight) {
          waits.push_back({&op, inFlight, &op});
          waitingLoops.insert(loop);
        }
        isKnown = true;
      }
    });
  }

  /// Whether a loop issues wgmma on the accumulator that an operation of its
  /// body touches, but in no iteration before that.
  static bool isIssuedOnlyBehind(Operation &op, scf::ForOp loop) {
    auto read = dyn_cast<hopper::AccumulatorReadOp>(op);
    Value accumulator =
        read ? read.getAccumulator()
             : cast<hopper::AccumulatorWriteOp>(op).getAccumulator();
    bool isIssued = false;
    for (Operation *user : accumulator.getUsers()) {
      if (!isa<hopper::WgmmaOp>(user) || !loop->isAncestor(user))
        continue;
      isIssued = true;
      if (isInThisIteration(user, &op))
        return false;
    }
    return isIssued;
  }

  static bool isInThisIteration(Operation *issuer, Operation *op) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*issuer);
    return ancestor && ancestor->isBeforeInBlock(op);
  }

  static bool isTouchedIn(scf::ForOp loop, Value accumulator) {
    return llvm::any_of(accumulator.getUsers(), [&](Operation *user) {
      return isa<hopper::AccumulatorReadOp, hopper::AccumulatorWriteOp>(user) &&
             loop->isAncestor(user);
    });
  }

  /// Whether a wait covers what a loop before it issued that waits over its
  /// iterations. What an arm writes has one wait only.
  bool isBehindWaitingLoop(Operation *op) {
    if (isa<hopper::AccumulatorWriteOp>(op) &&
        isa<scf::IfOp>(op->getParentOp()))
      return false;
    return llvm::any_of(waitingLoops, [&](Operation *loop) {
      return !loop->isAncestor(op) &&
             llvm::any_of(plan.before(op).pending(), [&](const Pending &entry) {
               return llvm::any_of(entry.issuers, [&](Operation *issuer) {
                 return loop->isAncestor(issuer);
               });
             });
    });
  }

  static bool issuesInItsLoop(Operation *op) {
    auto loop = op->getParentOfType<scf::ForOp>();
    return loop && loop.walk([&](hopper::WgmmaOp wgmma) {
                         return wgmma->getParentOfType<scf::ForOp>() == loop
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  }

  /// What would wait next for as much if a release did not.
  Operation *reasonOf(Operation *cause) {
    if (!isa<hopper::ReleaseOp>(cause))
      return cause;
    for (Operation *op = cause->getNextNode();
         op && !isa<hopper::WgmmaOp, hopper::MbarrierWaitOp>(op) &&
         (!op->getNumRegions() || isa<hopper::ReleaseOp>(op));
         op = op->getNextNode())
      if (groupsLeft(op, plan.before(cause), {.releases = false}) == 0)
        return op;
    return cause;
  }

  /// Tells the author of a wait that leaves no wgmma in flight in a loop.
  void sayWhy(Operation *op) {
    StringRef why = "others may overwrite behind it what wgmma reads";
    if (isa<hopper::AccumulatorReadOp>(op))
      why = "a result of it is read";
    else if (isa<hopper::AccumulatorWriteOp>(op))
      why = "the registers of a result are written";
    else if (isa<hopper::SharedStoreOp, hopper::ScatterOp, hopper::CopyTileOp>(
                 op))
      why = "what it reads is overwritten";
    else if (isa<hopper::ReleaseOp>(op))
      why = "a stage that it reads is released, and that its pipeline has one "
            "to spare while the role waits for the next is not known; with one "
            "more stage, or where all roles take their stages in one order, or "
            "where this one takes the next before, it would go on";
    if (told.insert({op->getLoc(), why}).second)
      op->emitRemark(hasInnerLoop(op)
                         ? "all of wgmma is waited for here, outside of the "
                           "loop inside: "
                         : "each iteration waits here for all of wgmma: ")
          << why;
  }

  /// Whether the loop around an operation has another in it that issues wgmma.
  static bool hasInnerLoop(Operation *op) {
    auto loop = op->getParentOfType<scf::ForOp>();
    return loop
        .walk([&](hopper::WgmmaOp wgmma) {
          return wgmma->getParentOfType<scf::ForOp>() != loop
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  hopper::KernelOp kernel;
  InFlight plan;
  DenseSet<std::pair<Location, StringRef>> told;
  struct Wait {
    Operation *before;
    int64_t left;     ///< groups that may stay in flight
    Operation *cause; ///< what needs the others complete
  };
  SmallVector<Wait> waits;
  /// Those that read or write an accumulator for which they have waited, over
  /// the end of an iteration, with others left in flight.
  llvm::SmallPtrSet<Operation *, 4> waitingLoops;
};

struct HopperScheduleWgmma
    : impl::HopperScheduleWgmmaBase<HopperScheduleWgmma> {
  void runOnOperation() override {
    hopper::KernelOp kernel = getOperation();
    bool multiplies = false;
    kernel.walk([&](hopper::WgmmaOp wgmma) {
      multiplies = true;
      OpBuilder builder(wgmma->getContext());
      builder.setInsertionPointAfter(wgmma);
      hopper::WgmmaCommitOp::create(builder, wgmma.getLoc());
    });
    if (!multiplies)
      return;
    deferReleases(kernel);
    Waits(kernel).place();
  }
};

} // namespace
} // namespace ashlar
