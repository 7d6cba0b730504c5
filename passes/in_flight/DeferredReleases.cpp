#include "passes/in_flight/DeferredReleases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Arithmetic.h"
#include "passes/SharedBuffer.h"
#include "passes/in_flight/InFlight.h"

#include <deque>
#include <map>

namespace ashlar {

using namespace mlir;

namespace {

/// Whether every warp of the role, and nobody else, meets at a barrier.
bool isOwnBarrier(hopper::NamedBarrierOp barrier) {
  auto role = barrier->getParentOfType<hopper::RoleOp>();
  return role && !barrier.getArrive() &&
         barrier.getThreads() == 32 * role.getWarps();
}

/// Whether an operation waits for other roles, or hands work to the tensor
/// cores, at a place that a release can't be put off to or looked for.
bool endsSearch(Operation &op) {
  if (isa<hopper::MbarrierWaitOp, hopper::WgmmaOp>(op))
    return false;
  return op
      .walk([&](Operation *inner) {
        if (auto barrier = dyn_cast<hopper::NamedBarrierOp>(inner))
          return isOwnBarrier(barrier) ? WalkResult::advance()
                                       : WalkResult::interrupt();
        return isa<hopper::MbarrierWaitOp, hopper::MbarrierTestOp,
                   hopper::SyncOp, hopper::AwaitOp, hopper::GridWaitOp,
                   hopper::WgmmaOp>(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Where a release goes, and the waits for other roles on the way.
struct Way {
  Operation *target = nullptr; ///< it goes before this
  bool wraps = false;          ///< into the next iteration
  struct Passed {
    hopper::MbarrierWaitOp wait;
    bool inNext;
  };
  SmallVector<Passed> waits;
};

class Deferral {
public:
  explicit Deferral(hopper::KernelOp kernel) : kernel(kernel) {
    kernel.walk([&](hopper::ReleaseOp release) { left.push_back(release); });
  }

  void run() {
    for (; !left.empty(); left.pop_front())
      if (auto way = find(left.front())) {
        follow(left.front(), *way);
        known.reset();
      }
  }

private:
  const InFlight &plan() {
    if (!known)
      known.emplace(kernel, InFlight::Plan{.waits = true, .releases = false});
    return *known;
  }

  /// Nothing where the release may stay.
  std::optional<Way> find(hopper::ReleaseOp release) {
    const Pending *read = plan().before(release).find({release.getStage()});
    if (!read || read->younger > 0)
      return std::nullopt;
    Way way;
    Operation *op = release->getNextNode();
    while (op != release) {
      if (!op || op->hasTrait<OpTrait::IsTerminator>()) {
        if (way.wraps || !isa<scf::ForOp>(release->getParentOp()))
          return std::nullopt;
        way.wraps = true;
        op = &release->getBlock()->front();
        continue;
      }
      way.target = op;
      if (plan().groupsLeft(op) == 0)
        return way;
      if (endsSearch(*op))
        return std::nullopt;
      if (auto wait = dyn_cast<hopper::MbarrierWaitOp>(op))
        way.waits.push_back({wait, way.wraps});
      op = op->getNextNode();
      if (isa<hopper::WgmmaCommitOp>(way.target)) {
        way.target = op;
        return op ? std::optional(way) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// Whether the role may keep one more stage while it waits there.
  bool maySpare(hopper::ReleaseOp release, hopper::MbarrierWaitOp wait) {
    return release.getSpare() > 0 &&
           bufferOf(wait.getBarrier()) == int64_t(release.getFull());
  }

  void follow(hopper::ReleaseOp release, const Way &way) {
    int64_t &kept = keptOf[{release->getBlock(), release.getFull()}];
    const bool spares = kept < int64_t(release.getSpare()) &&
                        llvm::any_of(
                            way.waits,
                            [&](const Way::Passed &passed) {
                              return maySpare(release, passed.wait);
                            });
    kept += spares;
    auto isTested = [&](const Way::Passed &passed) {
      return !spares || !maySpare(release, passed.wait);
    };

    Value condition = release.getCondition();
    for (const Way::Passed &passed : way.waits)
      if (!passed.inNext && isTested(passed))
        condition =
            releaseUnlessReady(release, release.getStage(), condition, passed);
    OpBuilder builder(way.target);
    if (!way.wraps) {
      emit(builder, release, release.getStage(), condition);
      release.erase();
      return;
    }

    Block *body = release->getBlock();
    Carried carried = carry(release, condition);
    // The loop is another one now.
    for (auto it = keptOf.begin(); it != keptOf.end(); ++it)
      if (it->first.first == body)
        keptOf[{carried.loop.getBody(), it->first.second}] = it->second;
    for (const Way::Passed &passed : way.waits)
      if (passed.inNext && isTested(passed))
        carried.condition = releaseUnlessReady(release, carried.stage,
                                               carried.condition, passed);
    builder.setInsertionPoint(way.target);
    emit(builder, release, carried.stage, carried.condition);
    builder.setInsertionPointAfterValue(
        carried.lastCondition ? carried.lastCondition : carried.lastStage);
    left.push_back(
        emit(builder, release, carried.lastStage, carried.lastCondition));
    release.erase();
  }

  static hopper::ReleaseOp emit(OpBuilder &builder, hopper::ReleaseOp release,
                                Value stage, Value condition) {
    auto result =
        hopper::ReleaseOp::create(builder, release.getLoc(), stage, condition,
                                  release.getSpare(), release.getFull());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&result.getBody().emplaceBlock());
    IRMapping map;
    map.map(release.getStage(), stage);
    for (Operation &op : release.getBody().front())
      builder.clone(op, map);
    return result;
  }

  /// Releases the stage before a wait that is not over yet. Returns where it is
  /// still to be released.
  static Value releaseUnlessReady(hopper::ReleaseOp release, Value stage,
                                  Value condition, const Way::Passed &passed) {
    hopper::MbarrierWaitOp wait = passed.wait;
    OpBuilder builder(wait);
    Location loc = release.getLoc();
    Value ready = hopper::MbarrierTestOp::create(
        builder, loc, builder.getI1Type(), wait.getBarrier(), wait.getParity(),
        /*agree=*/IntegerAttr(), /*generic=*/false);
    Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value now = arith::XOrIOp::create(builder, loc, ready, yes);
    if (condition)
      now = arith::AndIOp::create(builder, loc, now, condition);
    auto branch = scf::IfOp::create(builder, loc, now);
    OpBuilder inside(branch.thenBlock()->getTerminator());
    emit(inside, release, stage, Value());
    if (!condition)
      return ready;
    return arith::AndIOp::create(builder, loc, ready, condition);
  }

  /// What the next iteration, and the program behind the loop, releases of the
  /// one before: its stage, and whether there is one.
  struct Carried {
    scf::ForOp loop;
    Value stage, condition, lastStage, lastCondition;
  };

  Carried carry(hopper::ReleaseOp release, Value condition) {
    auto loop = cast<scf::ForOp>(release->getParentOp());
    Location loc = release.getLoc();
    IRRewriter rewriter(loop);
    SmallVector<Value> inits{Arithmetic{rewriter, loc}.constant(0)};
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

  hopper::KernelOp kernel;
  std::deque<hopper::ReleaseOp> left;
  std::optional<InFlight> known;
  /// Releases of a block that keep a stage of a ring over waits for others.
  std::map<std::pair<Block *, int64_t>, int64_t> keptOf;
};

} // namespace

void deferReleases(hopper::KernelOp kernel) { Deferral(kernel).run(); }

} // namespace ashlar
