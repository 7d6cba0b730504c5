#include "passes/hopper_schedule_wgmma/Loops.h"

namespace ashlar {

using namespace mlir;

void emitArrivals(OpBuilder &builder, hopper::ReleaseOp release, Value stage) {
  auto arrivals =
      hopper::OncePerWarpOp::create(builder, release.getLoc(), /*ahead=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&arrivals.getBody().emplaceBlock());
  IRMapping map;
  map.map(release.getStage(), stage ? stage : release.getStage());
  for (Operation &op : release.getBody().front())
    builder.clone(op, map);
}

SmallVector<Value> waitFor(OpBuilder &builder, Location loc,
                           ValueRange accumulators, int64_t pending) {
  auto wait = hopper::WgmmaWaitOp::create(builder, loc, accumulators.getTypes(),
                                          pending, accumulators);
  return SmallVector<Value>(wait.getResults());
}

void commitAndWait(OpBuilder &builder, Location loc, ValueRange accumulators,
                   int64_t pending) {
  hopper::WgmmaCommitOp::create(builder, loc);
  SmallVector<Value> complete = waitFor(builder, loc, accumulators, pending);
  for (auto [before, after] : llvm::zip(accumulators, complete))
    before.replaceAllUsesExcept(after, after.getDefiningOp());
}

scf::IfOp guard(OpBuilder &builder, scf::ForOp loop) {
  Location loc = loop.getLoc();
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs,
                                  /*withElseRegion=*/true);
  loop.replaceAllUsesWith(branch);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, loop.getInits());
  return branch;
}

int64_t registersEach(Operation *inRole, Type fragment) {
  auto role = inRole->getParentOfType<hopper::RoleOp>();
  return cast<RankedTensorType>(fragment).getNumElements() /
         (32 * role.getWarps());
}

bool tellsOthers(Operation *op) {
  return isa<hopper::SharedStoreOp, hopper::NamedBarrierOp, hopper::SyncOp>(op);
}

bool leavesGroupsAlone(Operation &op) {
  return !op.walk([&](Operation *inner) {
              if (isa<hopper::WgmmaOp, hopper::ReleaseOp>(inner) ||
                  tellsOthers(inner))
                return WalkResult::interrupt();
              return WalkResult::advance();
            }).wasInterrupted();
}

} // namespace ashlar
