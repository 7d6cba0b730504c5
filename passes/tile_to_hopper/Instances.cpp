// A role of several instances: each takes its tiles of the tile loop, and
// passes by the stages of the others'.

#include "compiler/tile/Plan.h"
#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

void KernelLowering::initTurns(tile::RoleOp op) {
  for (int64_t i = 0; i < int64_t(op.getInstances()); ++i) {
    Value address = hopper::SharedAddressOp::create(
        builder, op.getLoc(),
        *tile::planOf(op).getTurns() + target::mbarrierBytes * i);
    hopper::MbarrierInitOp::create(builder, op.getLoc(), address,
                                   op.getWarps());
  }
}

bool KernelLowering::sharesTiles(scf::ForOp loop) {
  return role.getInstances() > 1 &&
         loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
}

LogicalResult KernelLowering::lowerInTurn(scf::ForOp loop) {
  Location loc = NameLoc::get(builder.getStringAttr("turn"), loop.getLoc());
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : *loop.getBody()) {
    if (llvm::none_of(cursorsMovedIn(&op), [](CursorKey key) {
          return isa<tile::PipelineType>(key.first.getType());
        }))
      continue;
    first = first ? first : &op;
    last = &op;
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    Arithmetic a{builder, loc};
    if (&op == first) {
      // The first turn of instance 0 comes from nobody.
      Cursor &turn = cursor(loop.getStep(), /*filling=*/false);
      Value isFirst =
          a.select(a.equal(instance(loc), 0), a.constant(1), a.constant(0));
      hopper::MbarrierWaitOp::create(
          builder, loc,
          ofInstance(loc, *tile::planOf(role).getTurns(),
                     target::mbarrierBytes),
          a.exclusiveOr(turn.parity, isFirst), /*generic=*/false,
          /*cluster=*/false);
      turn.parity = a.exclusiveOr(turn.parity, a.constant(1));
    }
    if (failed(lowerOp(op)))
      return failure();
    if (&op == last) {
      Value next = a.rem(a.add(instance(loc), 1), role.getInstances());
      Value barrier = a.add(hopper::SharedAddressOp::create(
                                builder, loc, *tile::planOf(role).getTurns()),
                            a.mul(next, target::mbarrierBytes));
      auto passed = hopper::OncePerWarpOp::create(builder, loc);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&passed.getBody().emplaceBlock());
      hopper::MbarrierArriveOp::create(builder, loc, barrier, Value());
    }
  }
  return skipTiles(loop, /*beforeFirst=*/false);
}

LogicalResult KernelLowering::checkTurns() {
  Operation *turns = nullptr; // the tile loop
  auto result = role.walk([&](Operation *op) -> WalkResult {
    if (!isa<tile::AcquireOp, tile::TryAcquireOp, tile::WaitOp,
             tile::TryWaitOp>(op))
      return WalkResult::advance();
    Operation *outermost = op;
    while (outermost->getParentOp() != role)
      outermost = outermost->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(outermost);
    if (!loop || !loop.getStep().getDefiningOp<tile::ScheduleRangeOp>())
      return op->emitError("role '")
             << role.getName()
             << "' takes turns with other warpgroups, and the stage that it "
                "takes here is no tile's: take it in the tile loop, directly "
                "in the role";
    if (turns && turns != loop)
      return op->emitError("role '")
             << role.getName()
             << "' takes turns with other warpgroups, and takes stages in a "
                "second tile loop here: the others could not tell how many it "
                "took in the first; merge the loops";
    turns = loop;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult KernelLowering::skipTiles(scf::ForOp loop, bool beforeFirst) {
  Location loc = loop.getLoc();
  Arithmetic a{builder, loc};
  auto range = loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
  auto coordinates = cast<tile::ScheduleCoordinatesOp>(loop.getBody()->front());
  auto schedule = range.getSchedule().getDefiningOp<tile::ScheduleOp>();
  int64_t instances = role.getInstances();
  // The range is that of this instance: its first tile, and instances apart.
  Value step = a.div(lookup(range.getStep()), instances);
  Value own =
      beforeFirst ? lookup(range.getFirst()) : lookup(loop.getInductionVar());

  SmallVector<IRMapping> skipped;
  for (int64_t other = 1; other < instances; ++other) {
    Value distance = a.mul(step, other);
    Value number = beforeFirst ? a.sub(own, distance) : a.add(own, distance);
    IRMapping ofTile;
    for (auto [from, to] : llvm::zip(coordinates.getCoordinates(),
                                     tileCoordinates(loc, schedule, number)))
      ofTile.map(from, to);
    skipped.push_back(std::move(ofTile));
  }
  for (auto [pipeline, filling] : cursorsMovedIn(loop)) {
    if (!isa<tile::PipelineType>(pipeline.getType()))
      continue;
    Value stages = a.constant(0);
    for (auto [i, ofTile] : llvm::enumerate(skipped)) {
      auto taken = stagesTaken(*loop.getBody(), pipeline, filling, ofTile);
      if (failed(taken))
        return failure();
      Value count = *taken;
      if (beforeFirst) {
        // Only instances behind the other one have it before their first.
        Value behind =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                  instance(loc), a.constant(i));
        count = a.select(behind, count, a.constant(0));
      }
      stages = a.add(stages, count);
    }
    Cursor &at = cursor(pipeline, filling);
    int64_t length = ringOf(pipeline).stages;
    Value reached = a.add(at.stage, stages);
    Value rounds = a.div(reached, length);
    at = {a.rem(reached, length), a.exclusiveOr(at.parity, a.rem(rounds, 2))};
  }
  return success();
}

FailureOr<Value> KernelLowering::stagesTaken(Block &block, Value pipeline,
                                             bool filling, IRMapping &ofTile) {
  Arithmetic a{builder, block.getParentOp()->getLoc()};
  Value total = a.constant(0);
  for (Operation &op : block) {
    if (filling ? isa<tile::AcquireOp>(op) : isa<tile::WaitOp>(op)) {
      if (op.getOperand(0) == pipeline)
        total = a.add(total, 1);
      continue;
    }
    if (!llvm::is_contained(cursorsMovedIn(&op), CursorKey{pipeline, filling}))
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return op.emitError("role '")
             << role.getName()
             << "' takes turns with other warpgroups, and whether it takes a "
                "stage here depends on a condition: the others could not tell "
                "how many stages to pass by; take it always";
    auto inner = stagesTaken(*loop.getBody(), pipeline, filling, ofTile);
    SmallVector<Value> bounds;
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) {
      auto value = recompute(bound, ofTile);
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

FailureOr<Value> KernelLowering::recompute(Value value, IRMapping &ofTile) {
  if (ofTile.contains(value))
    return ofTile.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !op->getParentOfType<scf::ForOp>()) {
    if (!isa<BlockArgument>(value))
      return lookup(value);
  } else if (auto promise = dyn_cast<tile::MultipleOfOp>(op)) {
    return recompute(promise.getIndex(), ofTile);
  } else if (isa<arith::ArithDialect>(op->getDialect())) {
    for (Value operand : op->getOperands()) {
      auto lowered = recompute(operand, ofTile);
      if (failed(lowered))
        return failure();
      ofTile.map(operand, *lowered);
    }
    builder.clone(*op, ofTile);
    return ofTile.lookup(value);
  }
  return emitError(value.getLoc())
         << "role '" << role.getName()
         << "' takes turns with other warpgroups, and how many stages a tile "
            "takes depends on this value, which only its own turn computes: "
            "let "
            "it depend on sizes and tile coordinates alone";
}

} // namespace ashlar
