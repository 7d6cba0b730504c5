#include "passes/stages/TileLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/stages/HeldStages.h"
#include "passes/stages/Turns.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Of a tile loop; null for another one.
tile::ScheduleRangeOp tilesOf(scf::ForOp loop) {
  return loop.getStep().getDefiningOp<tile::ScheduleRangeOp>();
}

tile::ScheduleOp scheduleOf(tile::ScheduleRangeOp tiles) {
  return tiles.getSchedule().getDefiningOp<tile::ScheduleOp>();
}

/// Of the tile loop that an operation stands in.
tile::ScheduleRangeOp tilesAround(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (tile::ScheduleRangeOp tiles = tilesOf(loop))
      return tiles;
  return {};
}

LogicalResult checkNested(scf::ForOp loop) {
  auto around = tilesOf(loop) ? tilesAround(loop) : tile::ScheduleRangeOp();
  if (!around || !scheduleOf(around).getPersistent())
    return success();
  return loop.emitError("this tile loop stands in another one, and a CTA has "
                        "only its own tiles of each, so that most pairs have "
                        "none: give one loop all the dimensions, or count the "
                        "inner one with range()");
}

/// Whether two values are the same, as far as is known of what a role computes.
bool areAlike(Value a, Value b) {
  auto isOfRole = [](Value value) {
    Operation *op = value.getDefiningOp();
    return !op || !isa<tile::KernelOp>(op->getParentOp());
  };
  auto x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return *x == *y;
  return a == b || isOfRole(a) || isOfRole(b);
}

/// Whether the same CTA has the same tiles of both, as far as is known.
bool areAlike(tile::ScheduleRangeOp a, tile::ScheduleRangeOp b) {
  tile::ScheduleOp x = scheduleOf(a), y = scheduleOf(b);
  return x.getTile() == y.getTile() && x.getPersistent() == y.getPersistent() &&
         x.getRaster() == y.getRaster() &&
         llvm::all_of(llvm::zip_equal(x.getExtents(), y.getExtents()),
                      [](auto both) {
                        return areAlike(std::get<0>(both), std::get<1>(both));
                      }) &&
         !a.getAfter() == !b.getAfter() &&
         (!a.getAfter() || areAlike(a.getAfter(), b.getAfter()));
}

/// Loops of several turns around an operation: in its tile loop, and around it.
struct LoopsAround {
  int inTile = 0, aroundTiles = 0;

  explicit LoopsAround(Operation *op) {
    bool isAround = false;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (tilesOf(loop))
        isAround = true;
      else if (loop.getStaticTripCount() != 1)
        ++(isAround ? aroundTiles : inTile);
  }
  /// Whether the other one has a loop in the tile loop that this one has around
  /// it.
  bool areOutsideOf(const LoopsAround &other) const {
    return aroundTiles > other.aroundTiles && inTile < other.inTile;
  }
};

/// Where a role takes stages of a pipeline, and in which tile loops.
struct Taken {
  SmallVector<std::pair<Operation *, tile::ScheduleRangeOp>> all;
  bool isOutside = false; ///< of every tile loop
};

/// Whether a role has the tile loops of another one, in their order.
LogicalResult checkOrder(tile::RoleOp role, const Taken &taken,
                         tile::RoleOp otherRole, const Taken &others) {
  size_t reached = 0;
  for (auto [op, tiles] : taken.all) {
    if (!tiles)
      continue;
    auto like = [&](auto &other) { return areAlike(tiles, other.second); };
    auto found =
        std::find_if(others.all.begin() + reached, others.all.end(), like);
    if (found == others.all.end())
      return op->emitError("role '")
             << role.getName()
             << "' takes this stage in a tile loop that role '"
             << otherRole.getName() << "', which shares the pipeline, does not "
             << (llvm::any_of(others.all, like) ? "have at this place" : "have")
             << ": both go over the same tiles, by one TileLoop";
    reached = found - others.all.begin();
    const LoopsAround mine(op), theirs(found->first);
    const bool isAround = mine.areOutsideOf(theirs);
    if (scheduleOf(tiles).getPersistent() &&
        (isAround || theirs.areOutsideOf(mine)))
      return op->emitError("role '")
             << role.getName() << "' takes this stage in a loop "
             << (isAround ? "around" : "in") << " its tile loop, and role '"
             << otherRole.getName() << "', which shares the pipeline, in one "
             << (isAround ? "in" : "around")
             << " it, so that a CTA with several tiles has stages in two "
                "orders: nest both alike";
  }
  return success();
}

LogicalResult checkShared(tile::KernelOp kernel, tile::PipelineOp pipeline) {
  llvm::MapVector<Operation *, Taken> roles;
  kernel.walk([&](Operation *op) {
    if ((!acquires(op) && !waits(op)) ||
        op->getOperand(0) != pipeline.getResult())
      return;
    Taken &taken = roles[tile::roleOf(op)];
    tile::ScheduleRangeOp tiles = tilesAround(op);
    taken.isOutside |= !tiles;
    taken.all.push_back({op, tiles});
  });
  // The first role has the loop that the others are held against.
  for (auto &[role, taken] : llvm::reverse(roles))
    for (auto &[otherRole, others] : roles)
      if (!others.isOutside &&
          failed(checkOrder(cast<tile::RoleOp>(role), taken,
                            cast<tile::RoleOp>(otherRole), others)))
        return failure();
  return success();
}

/// A coordinate that is so many times an index.
struct Scaled {
  Value index;
  int64_t factor = 1;

  explicit Scaled(Value coordinate) : index(coordinate) {
    while (auto product = index.getDefiningOp<arith::MulIOp>()) {
      Value other = product.getLhs();
      std::optional<int64_t> by = getConstantIntValue(product.getRhs());
      if (!by) {
        other = product.getRhs();
        by = getConstantIntValue(product.getLhs());
      }
      if (!by)
        return;
      index = other;
      factor *= *by;
    }
  }
};

bool areEqual(Value a, Value b) {
  auto x = getConstantIntValue(a);
  return a == b || (x && x == getConstantIntValue(b));
}

/// An access and its tensor, along one dimension.
struct Along {
  Operation *access;
  tile::TensorOp tensor;
  unsigned dimension;

  Value extent() { return tensor.getExtents()[dimension]; }
};

/// Remarks where an access goes through a dimension of its tensor by other
/// steps than the tile loop, which was given the same extent.
void compareWithTiles(Along along, const Scaled &at,
                      tile::ScheduleCoordinatesOp tiles) {
  auto schedule = tiles.getSchedule().getDefiningOp<tile::ScheduleOp>();
  const unsigned number = cast<OpResult>(at.index).getResultNumber();
  const int64_t tile = schedule.getTile()[number];
  if (at.factor == tile ||
      !areEqual(along.extent(), schedule.getExtents()[number]))
    return;
  along.access->emitRemark("for each tile of the loop this goes on by ")
      << at.factor << " along dimension " << along.dimension << " of '"
      << along.tensor.getName() << "', and the loop's tiles have " << tile
      << " of it, so that "
      << (at.factor > tile ? "some of them lie outside"
                           : "its end is not reached")
      << ": give both the same; tile() counts in tiles, at() in elements";
}

/// Remarks where an access takes what counts elements for a number of tiles,
/// and no condition says which of them.
void compareWithRange(Along along, const Scaled &at, scf::ForOp loop) {
  if (at.factor < 2 || at.index != loop.getInductionVar() ||
      along.access->getParentOp() != loop ||
      !areEqual(along.extent(), loop.getUpperBound()) ||
      getConstantIntValue(loop.getUpperBound()).value_or(2) < 2)
    return;
  along.access->emitRemark("the loop's index goes up to ")
      << "the extent of dimension " << along.dimension << " of '"
      << along.tensor.getName() << "', and here it is multiplied by "
      << at.factor
      << ", so that accesses lie outside: count tiles by "
         "range(ceil_div(extent, "
      << at.factor << ")), or give the index to at(), which counts elements";
}

void compareSteps(Operation *access, tile::TensorOp tensor,
                  ValueRange coordinates) {
  if (!tensor)
    return;
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    Along along{access, tensor, static_cast<unsigned>(i)};
    const Scaled at(coordinate);
    if (auto tiles = at.index.getDefiningOp<tile::ScheduleCoordinatesOp>())
      compareWithTiles(along, at, tiles);
    else if (auto index = dyn_cast<BlockArgument>(at.index))
      if (auto loop = dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()))
        compareWithRange(along, at, loop);
  }
}

} // namespace

void compareStepsOfTileLoops(tile::KernelOp kernel) {
  kernel.walk([](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::CopyOp, tile::LoadOp, tile::PrefetchOp>([](auto access) {
          compareSteps(
              access,
              access.getSource().template getDefiningOp<tile::TensorOp>(),
              access.getCoordinates());
        })
        .Case<tile::CopyOutOp, tile::StoreOp>([](auto access) {
          compareSteps(
              access,
              access.getTarget().template getDefiningOp<tile::TensorOp>(),
              access.getCoordinates());
        });
  });
}

void findStatesInTurns(tile::KernelOp kernel) {
  kernel.walk([](scf::ForOp loop) {
    auto role = loop->getParentOfType<tile::RoleOp>();
    if (!tilesOf(loop) || !role || role.getInstances() == 1 || hasTurns(loop) ||
        isInTurns(loop) ||
        llvm::all_of(loop.getRegionIterArgs(),
                     [](Value state) { return state.use_empty(); }))
      return;
    loop.emitRemark("a value goes on from tile to tile in this loop, and '")
        << role.getName() << "' is " << role.getInstances()
        << " groups of warps that take the tiles in turn: each has a value of "
           "its own, of the tiles that it took; combine them behind the loop, "
           "by atomic operations for example, or let one group have all tiles";
  });
}

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
