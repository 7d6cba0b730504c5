// tile-share-tiles: the instances of a role take every so many tiles of its
// tile loops, and pass by the stages of the others' tiles. Where one loop ends
// with an instance the next goes on with the one behind it. A tile whose stages
// they take in turns all of them have.

#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/StagesOfTile.h"
#include "passes/stages/Turns.h"

namespace ashlar {

#define GEN_PASS_DEF_TILESHARETILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

tile::ScheduleRangeOp rangeOf(scf::ForOp loop) {
  return loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
}

/// Shares out the tiles of a role.
class Sharing {
public:
  explicit Sharing(tile::RoleOp role)
      : role(role), instances(role.getInstances()),
        orderBarriers(*tile::planOf(role).getOrderBarriers()) {}

  LogicalResult run();

private:
  LogicalResult check();
  void declareBarriers();
  /// The tiles of a loop that this instance takes.
  struct Tiles {
    Value place; ///< how many of other instances come before its first
    Value first, step;
    bool isLast; ///< of the loops that take stages
  };
  /// Of the loop that comes first, where the instances begin by their numbers;
  /// of another one, where the one before has left off.
  Tiles firstTiles(scf::ForOp loop);
  Tiles tilesAfter(scf::ForOp before, const Tiles &tiles, scf::ForOp loop);
  Tiles tilesFrom(Arithmetic a, Value place, tile::ScheduleRangeOp range);
  /// Each instance takes its stages only when the one before has taken those of
  /// its tile. Otherwise it might wait for a stage two rounds ahead, which the
  /// parity of a phase cannot tell.
  /// `parity` is that of its order barrier's phase, from loop to loop.
  void takeInOrder(scf::ForOp &loop, Value &parity);
  /// Passes by the stages of tiles of other instances: of those before the
  /// first of this one, or between one and the next.
  /// Where another loop follows, only of tiles that there are: it begins at
  /// the same stage in all instances.
  LogicalResult skipTiles(scf::ForOp loop, const Tiles &tiles,
                          bool beforeFirst);

  tile::RoleOp role;
  int64_t instances, orderBarriers;
};

/// Whether the tiles of a loop are shared out.
bool isSharedOut(scf::ForOp loop) {
  return rangeOf(loop) && !hasTurns(loop) && !isInTurns(loop);
}

/// Refuses meetings and stages that the instances could not share out.
LogicalResult Sharing::check() {
  auto meets = role.walk([&](Operation *op) -> WalkResult {
    auto loop = op->getParentOfType<scf::ForOp>();
    while (loop && !isSharedOut(loop))
      loop = loop->getParentOfType<scf::ForOp>();
    if (!loop || !isa<tile::SyncOp, tile::ArriveOp>(op))
      return WalkResult::advance();
    return op->emitError("role '")
           << role.getName() << "' shares out the tiles of this loop among "
           << instances
           << " groups of warps, and a barrier waits for all of them, of which "
              "some may have a tile less: meet behind the loop";
  });
  if (meets.wasInterrupted())
    return failure();
  auto result = role.walk([&](Operation *op) -> WalkResult {
    if (!acquires(op) && !waits(op))
      return WalkResult::advance();
    if (isInTurns(op))
      return WalkResult::advance();
    Operation *outermost = op;
    while (outermost->getParentOp() != role)
      outermost = outermost->getParentOp();
    if (hasTurns(role) && (outermost == op || hasTurns(outermost)))
      return refuseStageOfAll(op);
    auto loop = dyn_cast<scf::ForOp>(outermost);
    if (!loop || !rangeOf(loop))
      return op->emitError("role '")
             << role.getName()
             << "' is in ping-pong with other warpgroups, and the stage that "
                "it takes here is no tile's: take it in the tile loop, "
                "directly in the role";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void Sharing::declareBarriers() {
  OpBuilder builder(role);
  for (int64_t i = 0; i < instances; ++i)
    tile::MbarrierOp::create(builder, role.getLoc(),
                             orderBarriers + target::mbarrierBytes * i,
                             role.getWarps());
}

LogicalResult Sharing::run() {
  if (failed(check()))
    return failure();
  declareBarriers();
  SmallVector<scf::ForOp> loops, taking;
  role.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (isSharedOut(loop))
      (stagesTakenIn(loop).empty() ? loops : taking).push_back(loop);
  });
  SmallVector<Tiles> all;
  for (auto [i, loop] : llvm::enumerate(taking)) {
    all.push_back(i ? tilesAfter(taking[i - 1], all.back(), loop)
                    : firstTiles(loop));
    all.back().isLast = i + 1 == taking.size();
  }
  for (scf::ForOp loop : loops)
    all.push_back(firstTiles(loop));
  Value parity;
  for (auto [loop, tiles] : llvm::zip(taking, all)) {
    if (failed(skipTiles(loop, tiles, /*beforeFirst=*/true)) ||
        failed(skipTiles(loop, tiles, /*beforeFirst=*/false)))
      return failure();
    takeInOrder(loop, parity);
  }
  llvm::append_range(taking, loops);
  for (auto [loop, tiles] : llvm::zip(taking, all)) {
    if (loop.getLowerBound() == rangeOf(loop).getFirst())
      loop.getLowerBoundMutable().assign(tiles.first);
    loop.getStepMutable().assign(tiles.step);
  }
  return success();
}

Sharing::Tiles Sharing::tilesFrom(Arithmetic a, Value place,
                                  tile::ScheduleRangeOp range) {
  return {place, a.add(range.getFirst(), a.mul(place, range.getStep())),
          a.mul(range.getStep(), instances), /*isLast=*/true};
}

Sharing::Tiles Sharing::firstTiles(scf::ForOp loop) {
  tile::ScheduleRangeOp range = rangeOf(loop);
  OpBuilder builder(range->getBlock(), std::next(range->getIterator()));
  Arithmetic a{builder, range.getLoc()};
  return tilesFrom(a, instance(a, role), range);
}

Sharing::Tiles Sharing::tilesAfter(scf::ForOp before, const Tiles &tiles,
                                   scf::ForOp loop) {
  OpBuilder builder(loop);
  Arithmetic a{builder, loop.getLoc()};
  tile::ScheduleRangeOp range = rangeOf(before);
  Value first = range.getFirst(), end = range.getEnd();
  // A grid of no tiles has a step of 0.
  Value step = a.max(range.getStep(), a.constant(1));
  Value span = a.add(a.sub(end, first), a.sub(step, a.constant(1)));
  Value isEmpty = arith::CmpIOp::create(builder, a.loc,
                                        arith::CmpIPredicate::uge, first, end);
  Value count = a.select(isEmpty, a.constant(0), a.div(span, step));
  // The loop before has begun with the instance whose place is 0.
  Value place = a.rem(
      a.sub(a.add(tiles.place, instances), a.rem(count, instances)), instances);
  return tilesFrom(a, place, rangeOf(loop));
}

void Sharing::takeInOrder(scf::ForOp &loop, Value &parity) {
  Location loc =
      NameLoc::get(StringAttr::get(loop.getContext(), "order"), loop.getLoc());
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : *loop.getBody())
    if (!stagesTakenIn(&op).empty()) {
      first = first ? first : &op;
      last = &op;
    }

  IRRewriter rewriter(loop);
  if (!parity)
    parity = Arithmetic{rewriter, loc}.constant(0);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, parity, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &end, Location, ArrayRef<BlockArgument> phase) {
        Arithmetic a{end, loc};
        return SmallVector<Value>{a.exclusiveOr(phase[0], a.constant(1))};
      }));
  parity = loop.getResults().back();
  OpBuilder before(first);
  Arithmetic a{before, loc};
  // Instance 0 waits for nobody in its first round.
  Value isFirst =
      a.select(a.equal(instance(a, role), 0), a.constant(1), a.constant(0));
  hopper::MbarrierWaitOp::create(
      before, loc, ofInstance(a, role, orderBarriers, target::mbarrierBytes),
      a.exclusiveOr(loop.getRegionIterArgs().back(), isFirst),
      /*generic=*/false, /*cluster=*/false);

  OpBuilder behind(last->getBlock(), std::next(last->getIterator()));
  Arithmetic b{behind, loc};
  Value next = b.rem(b.add(instance(b, role), 1), instances);
  Value barrier = barrierOfStage(b, orderBarriers, next);
  byOneThreadPerWarp(behind, loc, [&] {
    hopper::MbarrierArriveOp::create(behind, loc, barrier, Value());
  });
}

LogicalResult Sharing::skipTiles(scf::ForOp loop, const Tiles &tiles,
                                 bool beforeFirst) {
  OpBuilder builder = beforeFirst ? OpBuilder(loop)
                                  : OpBuilder(loop.getBody()->getTerminator());
  Location loc = loop.getLoc();
  Arithmetic a{builder, loc};
  auto range = rangeOf(loop);
  auto coordinates =
      dyn_cast<tile::ScheduleCoordinatesOp>(loop.getBody()->front());
  // This instance's first tile, or its present one.
  Value own = beforeFirst ? tiles.first : loop.getInductionVar();

  SmallVector<Value> numbers;
  SmallVector<IRMapping> skipped;
  for (int64_t other = 1; other < instances; ++other) {
    Value distance = a.mul(range.getStep(), other);
    numbers.push_back(beforeFirst ? a.sub(own, distance)
                                  : a.add(own, distance));
    IRMapping ofTile;
    if (coordinates) {
      auto others = tile::ScheduleCoordinatesOp::create(
          builder, loc, coordinates.getResultTypes(), coordinates.getSchedule(),
          numbers.back());
      ofTile.map(coordinates.getCoordinates(), others.getCoordinates());
    }
    skipped.push_back(std::move(ofTile));
  }
  for (SideOfPipeline stages : stagesTakenIn(loop)) {
    Value count = a.constant(0);
    for (auto [i, ofTile] : llvm::enumerate(skipped)) {
      auto taken = countStages(builder, *loop.getBody(), stages, ofTile);
      if (failed(taken))
        return failure();
      Value ofOther = *taken;
      auto countIf = [&](arith::CmpIPredicate how, Value x, Value y) {
        Value holds = arith::CmpIOp::create(builder, loc, how, x, y);
        ofOther = a.select(holds, ofOther, a.constant(0));
      };
      // Only instances behind the other one have it before their first.
      if (beforeFirst)
        countIf(arith::CmpIPredicate::ugt, tiles.place, a.constant(i));
      if (!tiles.isLast)
        countIf(arith::CmpIPredicate::ult, numbers[i], range.getEnd());
      count = a.add(count, ofOther);
    }
    auto [pipeline, side] = stages;
    tile::SkipOp::create(builder, loc, pipeline, count, side == Side::filling);
  }
  return success();
}

struct TileShareTiles : impl::TileShareTilesBase<TileShareTiles> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandPlan(kernel)))
      return signalPassFailure();
    for (auto role : kernel.getBody().getOps<tile::RoleOp>())
      if ((role.getInstances() > 1 && failed(Sharing(role).run())) ||
          failed(takeTurns(role)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
