// tile-find-shared: inputs of which an element is read for several tiles of a
// loop say so, as no output can take their place.

#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/Passes.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

namespace ashlar {

#define GEN_PASS_DEF_TILEFINDSHARED
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The loop over tiles that an operation stands in, if it is one loop.
tile::ScheduleOp tilesAround(Operation *op) {
  tile::ScheduleOp found;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (auto tiles = loop.getStep().getDefiningOp<tile::ScheduleRangeOp>()) {
      if (found)
        return {};
      found = tiles.getSchedule().getDefiningOp<tile::ScheduleOp>();
    }
  return found;
}

/// The dimensions of the tiles on which an access's place depends.
class Dependence {
public:
  explicit Dependence(tile::ScheduleOp tiles)
      : tiles(tiles), dimensions(tiles.getTile().size()) {
    // Of one tile along a dimension nothing depends on it.
    for (auto [i, extent, tile] :
         llvm::enumerate(tiles.getExtents(), tiles.getTile()))
      if (std::optional<int64_t> known = getConstantIntValue(extent);
          known && *known <= tile)
        dimensions.set(i);
  }

  /// False where the value depends on more than can be told.
  bool add(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      // Two tiles that begin a loop alike have its first turn in common.
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && argument == loop.getInductionVar() &&
             add(loop.getLowerBound());
    }
    Operation *op = value.getDefiningOp();
    if (auto coordinates = dyn_cast<tile::ScheduleCoordinatesOp>(op)) {
      dimensions.set(cast<OpResult>(value).getResultNumber());
      return coordinates.getSchedule().getDefiningOp() == tiles;
    }
    return isa<tile::KernelOp>(op->getParentOp()) ||
           (isa<arith::ArithDialect>(op->getDialect()) &&
            llvm::all_of(op->getOperands(),
                         [&](Value operand) { return add(operand); }));
  }

  /// Whether tiles that differ along one dimension alone are accessed alike.
  bool isShared() const { return !dimensions.all(); }

private:
  tile::ScheduleOp tiles;
  llvm::SmallBitVector dimensions;
};

bool isShared(Operation *access, ValueRange coordinates) {
  tile::ScheduleOp tiles = tilesAround(access);
  if (!tiles)
    return false;
  Dependence dependence(tiles);
  return llvm::all_of(coordinates,
                      [&](Value at) { return dependence.add(at); }) &&
         dependence.isShared();
}

struct TileFindShared : impl::TileFindSharedBase<TileFindShared> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<tile::CopyOp, tile::LoadOp>(
          [](auto access) {
            auto tensor =
                access.getSource().template getDefiningOp<tile::TensorOp>();
            if (tensor && isShared(access, access.getCoordinates()))
              tensor.setShared(true);
          });
    });
  }
};

} // namespace
} // namespace ashlar
