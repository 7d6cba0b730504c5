// tile-share-tiles: the instances of a role take every so many tiles of its
// tile loop, and pass by the stages of the others' tiles.

#include "compiler/target/Target.h"
#include "compiler/tile/Plan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/HeldStages.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

#define GEN_PASS_DEF_TILESHARETILES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

tile::ScheduleRangeOp rangeOf(scf::ForOp loop) {
  return loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
}

llvm::SetVector<SideOfPipeline> stagesTakenIn(Operation *op) {
  llvm::SetVector<SideOfPipeline> taken;
  op->walk([&](Operation *inner) {
    if (acquires(inner) || waits(inner))
      taken.insert({inner->getOperand(0),
                    acquires(inner) ? Side::filling : Side::draining});
  });
  return taken;
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
  FailureOr<Value> countStages(OpBuilder &builder, Block &block,
                               SideOfPipeline stages, IRMapping &ofTile);
  /// A value of the tile loop's body, for another tile.
  FailureOr<Value> recompute(OpBuilder &builder, Value value,
                             IRMapping &ofTile);

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
             << "' takes turns with other warpgroups, and the stage that it "
                "takes here is no tile's: take it in the tile loop, directly "
                "in the role";
    if (shared && shared != loop)
      return op->emitError("role '")
             << role.getName()
             << "' takes turns with other warpgroups, and takes stages in a "
                "second tile loop here: the others could not tell how many it "
                "took in the first; merge the loops";
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
      NameLoc::get(StringAttr::get(loop.getContext(), "turn"), loop.getLoc());
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

FailureOr<Value> Sharing::countStages(OpBuilder &builder, Block &block,
                                      SideOfPipeline stages,
                                      IRMapping &ofTile) {
  auto [pipeline, side] = stages;
  Arithmetic a{builder, block.getParentOp()->getLoc()};
  Value total = a.constant(0);
  for (Operation &op : block) {
    if (side == Side::filling ? isa<tile::AcquireOp>(op)
                              : isa<tile::WaitOp>(op)) {
      if (op.getOperand(0) == pipeline)
        total = a.add(total, 1);
      continue;
    }
    if (!stagesTakenIn(&op).contains(stages))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return op.emitError("role '")
             << role.getName()
             << "' takes turns with other warpgroups, and whether it takes a "
                "stage here depends on a condition: the others could not tell "
                "how many stages to pass by; take it always";
    auto inner = countStages(builder, *loop.getBody(), stages, ofTile);
    SmallVector<Value> bounds;
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
      auto value = recompute(builder, bound, ofTile);
      if (failed(inner) || failed(value))
        return failure();
      bounds.push_back(*value);
    }
    Value span = a.sub(bounds[1], bounds[0]);
    Value runs = arith::CmpIOp::create(
        builder, a.loc, arith::CmpIPredicate::sgt, span, a.constant(0));
    Value trips =
        a.div(a.sub(a.add(span, bounds[2]), a.constant(1)), bounds[2]);
    total = a.add(total, a.mul(a.select(runs, trips, a.constant(0)), *inner));
  }
  return total;
}

FailureOr<Value> Sharing::recompute(OpBuilder &builder, Value value,
                                    IRMapping &ofTile) {
  if (ofTile.contains(value))
    return ofTile.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !op->getParentOfType<scf::ForOp>()) {
    if (!isa<BlockArgument>(value))
      return value;
  } else if (isa<arith::ArithDialect>(op->getDialect()) ||
             isa<tile::MultipleOfOp>(op)) {
    for (Value operand : op->getOperands()) {
      auto other = recompute(builder, operand, ofTile);
      if (failed(other))
        return failure();
      ofTile.map(operand, *other);
    }
    builder.clone(*op, ofTile);
    return ofTile.lookup(value);
  }
  return emitError(value.getLoc())
         << "role '" << role.getName()
         << "' takes turns with other warpgroups, and how many stages a tile "
            "takes depends on this value, which only its own turn computes: "
            "let it depend on sizes and tile coordinates alone";
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
