#include "passes/stages/TileLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/stages/HeldStages.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Of a tile loop; null for another one.
tile::ScheduleOp scheduleOf(scf::ForOp loop) {
  auto range = loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
  return range ? range.getSchedule().getDefiningOp<tile::ScheduleOp>()
               : tile::ScheduleOp();
}

tile::ScheduleOp scheduleAround(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (tile::ScheduleOp schedule = scheduleOf(loop))
      return schedule;
  return {};
}

LogicalResult checkNested(scf::ForOp loop) {
  tile::ScheduleOp around =
      scheduleOf(loop) ? scheduleAround(loop) : tile::ScheduleOp();
  if (!around || !around.getPersistent())
    return success();
  return loop.emitError("this tile loop stands in another one, and a CTA has "
                        "only its own tiles of each, so that most pairs have "
                        "none: give one loop all the dimensions, or count the "
                        "inner one with range()");
}

/// Whether the same CTA has the same tiles of both, as far as is known.
bool areAlike(tile::ScheduleOp a, tile::ScheduleOp b) {
  auto isInRole = [](tile::ScheduleOp schedule) {
    return !isa<tile::KernelOp>(schedule->getParentOp());
  };
  return isInRole(a) || isInRole(b) ||
         (a.getExtents() == b.getExtents() && a.getTile() == b.getTile() &&
          a.getPersistent() == b.getPersistent() &&
          a.getRaster() == b.getRaster());
}

/// Where a role takes stages of a pipeline, and in which tile loops.
struct Taken {
  SmallVector<std::pair<Operation *, tile::ScheduleOp>> all;
  bool isOutside = false; ///< of every tile loop
};

LogicalResult checkShared(tile::KernelOp kernel, tile::PipelineOp pipeline) {
  llvm::MapVector<Operation *, Taken> roles;
  kernel.walk([&](Operation *op) {
    if ((!acquires(op) && !waits(op)) ||
        op->getOperand(0) != pipeline.getResult())
      return;
    Taken &taken = roles[tile::roleOf(op)];
    tile::ScheduleOp schedule = scheduleAround(op);
    taken.isOutside |= !schedule;
    taken.all.push_back({op, schedule});
  });
  // The first role has the loop that the others are held against.
  for (auto &[role, taken] : llvm::reverse(roles))
    for (auto &[otherRole, others] : roles)
      for (auto [op, schedule] : taken.all)
        if (schedule && !others.isOutside &&
            llvm::none_of(others.all, [&](auto &other) {
              return areAlike(schedule, other.second);
            }))
          return op->emitError("role '")
                 << cast<tile::RoleOp>(role).getName()
                 << "' takes this stage in a tile loop that role '"
                 << cast<tile::RoleOp>(otherRole).getName()
                 << "', which shares the pipeline, does not have: both go over "
                    "the same tiles, by one TileLoop";
  return success();
}

} // namespace

LogicalResult checkTileLoops(tile::KernelOp kernel) {
  WalkResult nested = kernel.walk(
      [](scf::ForOp loop) -> WalkResult { return checkNested(loop); });
  if (nested.wasInterrupted())
    return failure();
  for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
    if (failed(checkShared(kernel, pipeline)))
      return failure();
  return success();
}

} // namespace ashlar
