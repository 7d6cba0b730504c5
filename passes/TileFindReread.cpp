// tile-find-reread: inputs of which an element is read for several tiles of a
// loop say so, as no output can take their place. What is not told by the
// coordinates of copies and loads is left out: what conditions, indices that
// memory holds or orders between CTAs decide, and where tiles overlap.

#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/Passes.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace ashlar {

#define GEN_PASS_DEF_TILEFINDREREAD
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The loop over tiles that an operation stands in, if it is one loop, and
/// nothing on the way decides whether the operation is executed.
scf::ForOp tileLoopOf(Operation *op) {
  scf::ForOp found;
  for (Operation *around = op->getParentOp(); !isa<tile::RoleOp>(around);
       around = around->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(around);
    if (!loop && !found)
      return {};
    if (loop && loop.getStep().getDefiningOp<tile::ScheduleRangeOp>()) {
      if (found)
        return {};
      found = loop;
    }
  }
  return found;
}

/// The dimensions of the tiles on which an access's place depends.
class Dependence {
public:
  explicit Dependence(scf::ForOp loop)
      : number(loop.getInductionVar()),
        tiles(loop.getStep()
                  .getDefiningOp<tile::ScheduleRangeOp>()
                  .getSchedule()
                  .getDefiningOp<tile::ScheduleOp>()),
        dimensions(tiles.getTile().size()) {
    // Of one tile along a dimension nothing depends on it.
    for (auto [i, extent, tile] :
         llvm::enumerate(tiles.getExtents(), tiles.getTile()))
      if (std::optional<int64_t> known = getConstantIntValue(extent);
          known && *known <= tile)
        dimensions.set(i);
  }

  /// False where the value depends on more than can be told.
  bool add(Value value) {
    if (!seen.insert(value.getAsOpaquePointer()).second)
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // Two tiles that begin a loop alike have its first turn in common.
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument == loop.getInductionVar() &&
             add(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    if (auto coordinates = dyn_cast<tile::ScheduleCoordinatesOp>(op)) {
      if (coordinates.getSchedule().getDefiningOp() != tiles ||
          coordinates.getNumber() != number)
        return false;
      dimensions.set(cast<OpResult>(value).getResultNumber());
      return true;
    }
    return isa<tile::KernelOp>(op->getParentOp()) ||
           ((isa<arith::ArithDialect>(op->getDialect()) ||
             isa<tile::MultipleOfOp, tile::AtMostOp>(op)) &&
            llvm::all_of(op->getOperands(),
                         [&](Value operand) { return add(operand); }));
  }

  /// Whether tiles that differ along one dimension alone are accessed alike.
  bool isReread() const { return !dimensions.all(); }

private:
  Value number;
  tile::ScheduleOp tiles;
  llvm::SmallBitVector dimensions;
  llvm::SmallPtrSet<void *, 8> seen;
};

bool isReread(Operation *access, ValueRange coordinates) {
  scf::ForOp tiles = tileLoopOf(access);
  if (!tiles)
    return false;
  Dependence dependence(tiles);
  return llvm::all_of(coordinates,
                      [&](Value at) { return dependence.add(at); }) &&
         dependence.isReread();
}

struct TileFindReread : impl::TileFindRereadBase<TileFindReread> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<tile::CopyOp, tile::LoadOp>(
          [](auto access) {
            auto tensor =
                access.getSource().template getDefiningOp<tile::TensorOp>();
            if (tensor && tensor.getAccess() == tile::Access::input &&
                !access.getRows() && isReread(access, access.getCoordinates()))
              tensor.setReread(true);
          });
    });
  }
};

} // namespace
} // namespace ashlar
