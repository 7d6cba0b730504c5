#include "passes/in_flight/DeferredReleases.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Arithmetic.h"
#include "passes/SharedBuffer.h"
#include "passes/in_flight/InFlight.h"

#include <deque>

namespace ashlar {

using namespace mlir;

namespace {

/// Whether an operation waits for other roles, or hands work to the tensor
/// cores, at a place that a release can't be put off to or looked for.
bool endsSearch(Operation &op) {
  if (isa<hopper::MbarrierWaitOp, hopper::WgmmaOp>(op))
    return false;
  return op
      .walk([&](Operation *inner) {
        if (auto barrier = dyn_cast<hopper::NamedBarrierOp>(inner))
          return barrier.isOfRole() ? WalkResult::advance()
                                    : WalkResult::interrupt();
        return isa<hopper::MbarrierWaitOp, hopper::MbarrierTestOp,
                   hopper::SyncOp, hopper::AwaitOp, hopper::TakeOp,
                   hopper::TurnOp, hopper::GridWaitOp, hopper::WgmmaOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool multiplies(Operation &op) {
  return op.walk([](hopper::WgmmaCommitOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Where a release goes.
struct Way {
  Operation *target = nullptr; ///< it goes before this
  bool wraps = false;          ///< into the next iteration
  bool inArms = false;         ///< into both arms of the branch `target`
  /// Stages of its ring that are taken after the one that it releases: at the
  /// target, and at the end of the iteration.
  int64_t newer = 0, newerAtEnd = 0;
};

class Deferral {
public:
  explicit Deferral(hopper::KernelOp kernel) {
    kernel.walk([&](hopper::ReleaseOp release) { left.push_back(release); });
  }

  void run() {
    for (; !left.empty(); left.pop_front())
      if (auto way = find(left.front())) {
        auto role = left.front()->getParentOfType<hopper::RoleOp>();
        follow(left.front(), *way);
        plan.forget(role);
      }
  }

private:
  /// Nothing where the release may stay.
  std::optional<Way> find(hopper::ReleaseOp release) {
    const Pending *read = plan.before(release).find({release.getStage()});
    if (!read || read->younger > 0)
      return std::nullopt;
    Way way{.newer = int64_t(release.getNewer())};
    std::optional<Way> inIteration;
    Operation *op = release->getNextNode();
    while (op != release) {
      // A role's body has no terminator, and is no loop's.
      if (!op || op->hasTrait<OpTrait::IsTerminator>()) {
        if (way.wraps || !isa<scf::ForOp>(release->getParentOp()))
          return std::nullopt;
        inIteration = way;
        inIteration->target = op;
        way.wraps = true;
        way.newerAtEnd = way.newer;
        op = &release->getBlock()->front();
        continue;
      }
      if (auto wait = dyn_cast<hopper::MbarrierWaitOp>(op)) {
        if (1 + way.newer > wait.holdsOf(release.getRing())) {
          way.target = op;
          return way.wraps ? inIteration : way;
        }
        way.newer += bufferOf(wait.getBarrier()) == int64_t(release.getRing());
      }
      way.target = op;
      if (plan.groupsLeft(op) == 0)
        return way;
      if (endsSearch(*op)) {
        way.inArms = !way.wraps && isa<scf::IfOp>(op) && multiplies(*op);
        return way.inArms ? std::optional(way) : std::nullopt;
      }
      op = op->getNextNode();
      if (isa<hopper::WgmmaCommitOp>(way.target)) {
        way.target = op;
        return op ? std::optional(way) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  void follow(hopper::ReleaseOp release, const Way &way) {
    OpBuilder builder(way.target);
    if (way.inArms) {
      auto branch = cast<scf::IfOp>(way.target);
      if (!branch.elseBlock())
        scf::IfOp::ensureTerminator(branch.getElseRegion(), builder,
                                    branch.getLoc());
      for (Region *arm : branch.getRegions()) {
        builder.setInsertionPointToStart(&arm->front());
        left.push_back(emit(builder, release, release.getStage(),
                            release.getCondition(), way.newer));
      }
      release.erase();
      return;
    }
    if (!way.wraps) {
      emit(builder, release, release.getStage(), release.getCondition(),
           way.newer);
      release.erase();
      return;
    }

    Carried carried = carry(release, way.newerAtEnd);
    builder.setInsertionPoint(way.target);
    emit(builder, release, carried.stage, carried.condition, way.newer);
    builder.setInsertionPointAfterValue(
        carried.lastCondition ? carried.lastCondition : carried.lastStage);
    left.push_back(emit(builder, release, carried.lastStage,
                        carried.lastCondition, way.newerAtEnd));
    release.erase();
  }

  static hopper::ReleaseOp emit(OpBuilder &builder, hopper::ReleaseOp release,
                                Value stage, Value condition, int64_t newer) {
    auto result = hopper::ReleaseOp::create(
        builder, release.getLoc(), stage, condition, release.getRing(), newer);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&result.getBody().emplaceBlock());
    IRMapping map;
    map.map(release.getStage(), stage);
    for (Operation &op : release.getBody().front())
      builder.clone(op, map);
    return result;
  }

  /// What the next iteration, and the program behind the loop, releases of the
  /// one before: its stage, and whether there is one.
  struct Carried {
    scf::ForOp loop;
    Value stage, condition, lastStage, lastCondition;
  };

  Carried carry(hopper::ReleaseOp release, int64_t newerAtEnd) {
    auto loop = cast<scf::ForOp>(release->getParentOp());
    Value condition = release.getCondition();
    Location loc = release.getLoc();
    IRRewriter rewriter(loop);
    // A stage from before the loop that waits there takes the place of the one
    // that the first iteration has not.
    hopper::ReleaseOp before;
    if (!condition)
      before = waitingBefore(loop, release.getRing(), newerAtEnd);
    SmallVector<Value> inits{before ? before.getStage()
                                    : Arithmetic{rewriter, loc}.constant(0)};
    SmallVector<Value> yields{release.getStage()};
    if (condition) {
      inits.push_back(arith::ConstantIntOp::create(rewriter, loc, 0, 1));
      yields.push_back(condition);
    }
    unsigned number = loop.getNumResults();
    Carried carried;
    carried.loop = loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return yields;
        }));
    carried.stage = loop.getRegionIterArg(number);
    carried.lastStage = loop.getResult(number);
    if (condition) {
      carried.condition = loop.getRegionIterArg(number + 1);
      carried.lastCondition = loop.getResult(number + 1);
      return carried;
    }
    if (before) {
      llvm::erase(left, before);
      before.erase();
      return carried;
    }
    rewriter.setInsertionPointToStart(loop.getBody());
    carried.condition =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    auto trips = loop.getStaticTripCount();
    if (trips && trips->getSExtValue() > 0)
      return carried;
    rewriter.setInsertionPointAfter(loop);
    carried.lastCondition =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    return carried;
  }

  /// A release of the ring between a wgmma and a loop, that waits for it and
  /// whose stage is as new to the loop as that of an iteration before. An
  /// accumulator that is written meanwhile is written in flight, for ptxas.
  hopper::ReleaseOp waitingBefore(scf::ForOp loop, int64_t ring,
                                  int64_t newerAtEnd) {
    hopper::ReleaseOp found;
    for (Operation *op = loop->getPrevNode(); op && !isa<hopper::WgmmaOp>(op);
         op = op->getPrevNode()) {
      if (isa<hopper::MbarrierWaitOp, hopper::AccumulatorWriteOp>(op) ||
          endsSearch(*op))
        return {};
      auto release = dyn_cast<hopper::ReleaseOp>(op);
      if (found || !release || int64_t(release.getRing()) != ring)
        continue;
      const Pending *read = plan.before(release).find({release.getStage()});
      if (!read || read->younger > 0 || release.getCondition() ||
          int64_t(release.getNewer()) > newerAtEnd)
        return {};
      found = release;
    }
    return found;
  }

  InFlight plan{{.waits = true, .releases = false}};
  std::deque<hopper::ReleaseOp> left;
};

} // namespace

void deferReleases(hopper::KernelOp kernel) { Deferral(kernel).run(); }

} // namespace ashlar
