#include "passes/stages/StagesOfTile.h"

#include "passes/Arithmetic.h"

namespace ashlar {

using namespace mlir;

llvm::SetVector<SideOfPipeline> stagesTakenIn(Operation *op) {
  llvm::SetVector<SideOfPipeline> taken;
  op->walk([&](Operation *inner) {
    if (acquires(inner) || waits(inner))
      taken.insert({inner->getOperand(0),
                    acquires(inner) ? Side::filling : Side::draining});
  });
  return taken;
}

namespace {

/// A value of the tile loop's body, for another tile.
FailureOr<Value> recompute(OpBuilder &builder, Value value, IRMapping &ofTile) {
  if (ofTile.contains(value))
    return ofTile.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || !op->getParentOfType<scf::ForOp>()) {
    if (!isa<BlockArgument>(value))
      return value;
  } else if (isa<arith::ArithDialect>(op->getDialect()) ||
             isa<tile::MultipleOfOp, tile::AtMostOp, tile::ClusterRankOp>(op)) {
    for (Value operand : op->getOperands()) {
      auto other = recompute(builder, operand, ofTile);
      if (failed(other))
        return failure();
      ofTile.map(operand, *other);
    }
    builder.clone(*op, ofTile);
    return ofTile.lookup(value);
  }
  tile::RoleOp role = tile::roleOf(value.getParentBlock()->getParentOp());
  return emitError(value.getLoc())
         << "role '" << role.getName()
         << "' is in ping-pong with other warpgroups, and how many stages a "
            "tile takes depends on this value, which only its own warpgroup "
            "computes: let it depend on sizes and tile coordinates alone";
}

/// The stages that a loop in the body takes.
FailureOr<Value> countStages(OpBuilder &builder, scf::ForOp loop,
                             SideOfPipeline stages, IRMapping &ofTile) {
  for (auto last : loop.getBody()->getOps<tile::LastIfOp>())
    return last.emitError("the last_if ends a loop of role '")
           << tile::roleOf(last).getName()
           << "', which is in ping-pong, and takes stages: the other "
              "warpgroups could not tell how many to pass by; end a loop that "
              "takes none";
  auto each = countStages(builder, *loop.getBody(), stages, ofTile);
  auto lower = recompute(builder, loop.getLowerBound(), ofTile);
  auto upper = recompute(builder, loop.getUpperBound(), ofTile);
  auto step = recompute(builder, loop.getStep(), ofTile);
  if (failed(each) || failed(lower) || failed(upper) || failed(step))
    return failure();
  Arithmetic a{builder, loop.getLoc()};
  Value span = a.sub(*upper, *lower);
  Value runs = arith::CmpIOp::create(builder, a.loc, arith::CmpIPredicate::sgt,
                                     span, a.constant(0, span));
  Value trips = a.div(a.sub(a.add(span, *step), a.constant(1, span)), *step);
  trips = a.select(runs, trips, a.constant(0, span));
  if (!trips.getType().isIndex()) {
    // Of a number of 64 bits counts where in the ring it ends.
    auto ring = cast<tile::PipelineType>(stages.first.getType());
    trips = arith::IndexCastOp::create(builder, a.loc, builder.getIndexType(),
                                       a.rem(trips, 2 * ring.getStages()));
  }
  return a.mul(trips, *each);
}

} // namespace

FailureOr<Value> countStages(OpBuilder &builder, Block &body,
                             SideOfPipeline stages, IRMapping &ofTile) {
  Arithmetic a{builder, body.getParentOp()->getLoc()};
  Value total = a.constant(0);
  for (Operation &op : body) {
    if (!stagesTakenIn(&op).contains(stages))
      continue;
    if (isa<tile::AcquireOp, tile::WaitOp>(op)) {
      total = a.add(total, 1);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return op.emitError("role '")
             << tile::roleOf(&op).getName()
             << "' is in ping-pong with other warpgroups, and whether it takes "
                "a stage here depends on a condition: the others could not "
                "tell how many stages to pass by; take it always";
    auto inLoop = countStages(builder, loop, stages, ofTile);
    if (failed(inLoop))
      return failure();
    total = a.add(total, *inLoop);
  }
  return total;
}

} // namespace ashlar
