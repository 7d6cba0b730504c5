// tile-share-tiles: the instances of a role take every so many tiles of its
// tile loop, and pass by the stages of the others' tiles.

#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/StagesOfTile.h"

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
  /// The tile numbers of this instance, of a range that counts all.
  struct Tiles {
    Value first, step;
  };
  Tiles tilesOf(tile::ScheduleRangeOp range);
  void takeOwnTiles(scf::ForOp loop);
  /// Each instance takes its stages only when the one before has taken those of
  /// its tile. Otherwise it might wait for a stage two rounds ahead, which the
  /// parity of a phase cannot tell.
  void takeInOrder(scf::ForOp &loop);
  /// Passes by the stages of tiles of other instances: of those before the
  /// first of this one, or between one and the next.
  LogicalResult skipTiles(scf::ForOp loop, bool beforeFirst);

  tile::RoleOp role;
  int64_t instances, orderBarriers;
  llvm::DenseMap<Operation *, Tiles> tiles;
};

/// Refuses stages that the instances could not share out.
LogicalResult Sharing::check() {
  Operation *shared = nullptr; // the tile loop
  auto result = role.walk([&](Operation *op) -> WalkResult {
    if (!acquires(op) && !waits(op))
      return WalkResult::advance();
    Operation *outermost = op;
    while (outermost->getParentOp() != role)
      outermost = outermost->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(outermost);
    if (!loop || !rangeOf(loop))
      return op->emitError("role '")
             << role.getName()
             << "' is in ping-pong with other warpgroups, and the stage that "
                "it takes here is no tile's: take it in the tile loop, "
                "directly in the role";
    if (shared && shared != loop)
      return op->emitError("role '")
             << role.getName()
             << "' is in ping-pong with other warpgroups, and takes stages in "
                "a second tile loop here: the others could not tell how many "
                "it took in the first; merge the loops";
    shared = loop;
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
  SmallVector<scf::ForOp> loops;
  role.walk([&](scf::ForOp loop) {
    if (rangeOf(loop))
      loops.push_back(loop);
  });
  for (scf::ForOp &loop : loops) {
    if (stagesTakenIn(loop).empty())
      continue;
    if (failed(skipTiles(loop, /*beforeFirst=*/true)) ||
        failed(skipTiles(loop, /*beforeFirst=*/false)))
      return failure();
    takeInOrder(loop);
  }
  for (scf::ForOp loop : loops)
    takeOwnTiles(loop);
  return success();
}

/// From the tiles of all instances to those of this one.
void Sharing::takeOwnTiles(scf::ForOp loop) {
  const Tiles own = tilesOf(rangeOf(loop));
  if (loop.getLowerBound() == rangeOf(loop).getFirst())
    loop.getLowerBoundMutable().assign(own.first);
  loop.getStepMutable().assign(own.step);
}

Sharing::Tiles Sharing::tilesOf(tile::ScheduleRangeOp range) {
  auto [it, isNew] = tiles.try_emplace(range);
  if (isNew) {
    OpBuilder builder(range->getBlock(), std::next(range->getIterator()));
    Arithmetic a{builder, range.getLoc()};
    it->second = {
        a.add(range.getFirst(), a.mul(instance(a, role), range.getStep())),
        a.mul(range.getStep(), instances)};
  }
  return it->second;
}

void Sharing::takeInOrder(scf::ForOp &loop) {
  Location loc =
      NameLoc::get(StringAttr::get(loop.getContext(), "order"), loop.getLoc());
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : *loop.getBody())
    if (!stagesTakenIn(&op).empty()) {
      first = first ? first : &op;
      last = &op;
    }

  // The loop carries the parity of its order barrier's phase.
  IRRewriter rewriter(loop);
  Value zero = Arithmetic{rewriter, loc}.constant(0);
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &end, Location, ArrayRef<BlockArgument> parity) {
        Arithmetic a{end, loc};
        return SmallVector<Value>{a.exclusiveOr(parity[0], a.constant(1))};
      }));
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

LogicalResult Sharing::skipTiles(scf::ForOp loop, bool beforeFirst) {
  OpBuilder builder = beforeFirst ? OpBuilder(loop)
                                  : OpBuilder(loop.getBody()->getTerminator());
  Location loc = loop.getLoc();
  Arithmetic a{builder, loc};
  auto range = rangeOf(loop);
  auto coordinates =
      dyn_cast<tile::ScheduleCoordinatesOp>(loop.getBody()->front());
  // This instance's first tile, or its present one.
  Value own = beforeFirst ? tilesOf(range).first : loop.getInductionVar();

  SmallVector<IRMapping> skipped;
  for (int64_t other = 1; other < instances; ++other) {
    Value distance = a.mul(range.getStep(), other);
    Value number = beforeFirst ? a.sub(own, distance) : a.add(own, distance);
    IRMapping ofTile;
    if (coordinates) {
      auto others = tile::ScheduleCoordinatesOp::create(
          builder, loc, coordinates.getResultTypes(), coordinates.getSchedule(),
          number);
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
      if (beforeFirst) {
        // Only instances behind the other one have it before their first.
        Value behind =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                  instance(a, role), a.constant(i));
        ofOther = a.select(behind, ofOther, a.constant(0));
      }
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
      if (role.getInstances() > 1 && failed(Sharing(role).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
