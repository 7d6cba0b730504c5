// tile-check-bounds: what a kernel accesses by single coordinates, or by
// indices that it has read, is expected to lie in its tensor or shared tile.
//
// The language says what happens outside: a value is zero, a row or an element
// is passed by. So a wrong index changes results in silence. Here it is
// printed, and ends the launch as what the author expects does. What lies
// behind the end of the tensor of indices is no index, and may be anything.

#include "compiler/target/Target.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "passes/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

#define GEN_PASS_DEF_TILECHECKBOUNDS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Whether a coordinate is computed from numbers that memory holds.
bool isOfMemory(Value value, llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return false;
  auto anyOf = [&](ValueRange values) {
    return llvm::any_of(values, [&](Value v) { return isOfMemory(v, seen); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    // A counter stays in its bounds, whoever gave them.
    if (!loop || argument.getArgNumber() == 0)
      return false;
    const unsigned carried = argument.getArgNumber() - 1;
    return anyOf(
        {loop.getInitArgs()[carried], loop.getYieldedValues()[carried]});
  }
  Operation *op = value.getDefiningOp();
  const unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<tile::ValueOp, tile::SharedValueOp, tile::AtomicOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return anyOf({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return anyOf({branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number)});
  return !isa<tile::ScheduleCoordinatesOp, tile::ScheduleRangeOp>(op) &&
         anyOf(op->getOperands());
}

/// Checks one operation, right before it.
class Checks {
public:
  explicit Checks(Operation *op)
      : builder(op), loc(op->getLoc()), i32(builder.getI32Type()) {}

  /// One element, or one for each element of the coordinates.
  void checkElements(Value memory, ValueRange coordinates) {
    const SmallVector<Value> extents = extentsOf(memory);
    Value inside;
    for (auto [at, extent] : llvm::zip(coordinates, extents)) {
      auto number = getConstantIntValue(at), end = getConstantIntValue(extent);
      if (number && end && *number >= 0 && *number < *end)
        continue;
      inside = both(inside, isBelow(at, extent));
    }
    if (!inside)
      return;
    SmallVector<Value> values(coordinates);
    llvm::append_range(values, extents);
    expect(inside,
           nameOf(memory) + " has no element " + places(extents, ", ") +
               ": it has " + places(extents, " x "),
           values, "the element lies in " + nameOf(memory));
  }

  /// A tile of this shape: part of it lies in the tensor, along dimensions
  /// whose coordinates are numbers of memory.
  void checkTile(Value memory, ValueRange coordinates,
                 ArrayRef<int64_t> shape) {
    const SmallVector<Value> extents = extentsOf(memory);
    const size_t leading = coordinates.size() - shape.size();
    Value inside;
    for (auto [i, at] : llvm::enumerate(coordinates)) {
      llvm::SmallPtrSet<void *, 8> seen;
      if (!isOfMemory(at, seen))
        continue;
      auto compare = [&](arith::CmpIPredicate how, Value bound) {
        inside =
            both(inside, arith::CmpIOp::create(builder, loc, how, at, bound));
      };
      const int64_t length = i < leading ? 1 : shape[i - leading];
      compare(arith::CmpIPredicate::sgt,
              arith::ConstantIndexOp::create(builder, loc, -length));
      compare(arith::CmpIPredicate::slt, extents[i]);
    }
    if (!inside)
      return;
    SmallVector<Value> values(coordinates);
    llvm::append_range(values, extents);
    expect(inside,
           nameOf(memory) + " has nothing of a tile at " +
               places(extents, ", ") + ": it has " + places(extents, " x "),
           values, "the tile lies in " + nameOf(memory));
  }

  /// The rows of a tile of this shape in memory, from the coordinates on.
  template <typename Op>
  void checkRows(Op op, Value memory, ArrayRef<int64_t> shape) {
    if (!op.getRows())
      return;
    const int64_t row = op.getCoordinates().size() - 2;
    auto type = RankedTensorType::get(shape[shape.size() - 2], i32);
    Value index = tile::LoadOp::create(
        builder, loc, type, op.getRows(), op.getRowCoordinates(),
        /*rows=*/Value(), /*row_coordinates=*/ValueRange(),
        /*transposed=*/false);
    index = arith::AddIOp::create(builder, loc, index,
                                  spread(op.getCoordinates()[row], type));
    Value extent = extentsOf(memory)[row];
    Value isThere = tile::InsideOp::create(
        builder, loc, type.clone(builder.getI1Type()), op.getRows(),
        op.getRowCoordinates(), /*transposed=*/false);
    Value yes = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<ShapedType>(isThere.getType()), true));
    Value isNone = arith::XOrIOp::create(builder, loc, isThere, yes);
    Value holds =
        arith::OrIOp::create(builder, loc, isNone, isBelow(index, extent));
    expect(holds, nameOf(memory) + " has no row {}: it has {}", {index, extent},
           "the index is that of a row of " + nameOf(memory));
  }

private:
  Value both(Value a, Value b) {
    return a ? arith::AndIOp::create(builder, loc, a, b) : b;
  }

  Value spread(Value index, RankedTensorType type) {
    return tile::SplatOp::create(
        builder, loc, type,
        arith::IndexCastOp::create(builder, loc, i32, index));
  }

  /// Neither below zero nor at the end or behind it.
  Value isBelow(Value at, Value extent) {
    if (auto type = dyn_cast<RankedTensorType>(at.getType()))
      extent = spread(extent, type);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, at,
                                 extent);
  }

  SmallVector<Value> extentsOf(Value memory) {
    if (auto tensor = memory.getDefiningOp<tile::TensorOp>())
      return tensor.getExtents();
    auto shared = cast<tile::SharedType>(memory.getType());
    return llvm::map_to_vector(shared.getShape(), [&](int64_t extent) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, extent);
    });
  }

  static std::string nameOf(Value memory) {
    if (auto tensor = memory.getDefiningOp<tile::TensorOp>())
      return "tensor '" + tensor.getName().str() + "'";
    return "the shared tile";
  }

  static std::string places(ArrayRef<Value> values, StringRef between) {
    std::string text = "{}";
    for (size_t i = 1; i < values.size(); ++i)
      text += between.str() + "{}";
    return between == ", " ? "[" + text + "]" : text;
  }

  void expect(Value holds, const std::string &text, ValueRange values,
              const std::string &sentence) {
    Value yes = isa<RankedTensorType>(holds.getType())
                    ? Value(arith::ConstantOp::create(
                          builder, loc,
                          DenseElementsAttr::get(
                              cast<ShapedType>(holds.getType()), true)))
                    : Value(arith::ConstantIntOp::create(builder, loc, 1, 1));
    Value fails = arith::XOrIOp::create(builder, loc, holds, yes);
    auto told = tile::ExpectOp::create(builder, loc, holds, sentence);
    builder.setInsertionPoint(told);
    // A role of few registers can't print what it has found.
    const int64_t registers = tile::roleOf(told).getRegisters();
    if (registers == 0 || registers >= target::callRegisters)
      tile::PrintOp::create(builder, loc, text, values, fails);
    builder.setInsertionPointAfter(told);
  }

  OpBuilder builder;
  Location loc;
  Type i32;
};

struct TileCheckBounds : impl::TileCheckBoundsBase<TileCheckBounds> {
  using TileCheckBoundsBase::TileCheckBoundsBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (values)
        checkValue(op);
      if (indices)
        checkIndices(op);
    }
  }

private:
  static void checkValue(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::ValueOp, tile::SharedValueOp>([](auto value) {
          Checks(value).checkElements(value.getSource(),
                                      value.getCoordinates());
        })
        .Case([](tile::AtomicOp atomic) {
          Checks(atomic).checkElements(atomic.getTarget(),
                                       atomic.getCoordinates());
        })
        .Case<tile::SignalOp, tile::AwaitOp>([](auto counts) {
          Checks(counts).checkElements(counts.getCounter(),
                                       counts.getCoordinates());
        });
  }

  static void checkIndices(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([](tile::GatherOp gather) {
          Checks(gather).checkElements(gather.getSource(),
                                       gather.getCoordinates());
        })
        .Case([](tile::ScatterOp scatter) {
          Checks(scatter).checkElements(scatter.getTarget(),
                                        scatter.getCoordinates());
        })
        .Case([](tile::CopyOp copy) {
          checkMoved(copy, copy.getSource(),
                     copy.getTarget().getType().getShape());
          Checks(copy).checkRows(copy, copy.getSource(),
                                 copy.getTarget().getType().getShape());
        })
        .Case([](tile::CopyOutOp copy) {
          checkMoved(copy, copy.getTarget(),
                     copy.getSource().getType().getShape());
        })
        .Case([](tile::LoadOp load) {
          checkMoved(load, load.getSource(), inMemory(load, load.getResult()));
          Checks(load).checkRows(load, load.getSource(),
                                 inMemory(load, load.getResult()));
        })
        .Case([](tile::StoreOp store) {
          checkMoved(store, store.getTarget(),
                     inMemory(store, store.getValue()));
          Checks(store).checkRows(store, store.getTarget(),
                                  inMemory(store, store.getValue()));
        })
        .Case([](tile::TakeOp take) {
          take.forEachTile(
              [&](Value source, ValueRange coordinates, Value tile) {
                Checks(take).checkTile(source, coordinates, shapeOf(tile));
              });
        })
        .Case([](tile::ReduceIntoOp reduce) {
          checkMoved(reduce, reduce.getTarget(), {});
        });
  }

  template <typename Op>
  static void checkMoved(Op op, Value memory, ArrayRef<int64_t> shape) {
    Checks(op).checkTile(memory, op.getCoordinates(), shape);
  }

  template <typename Op>
  static SmallVector<int64_t> inMemory(Op op, Value fragment) {
    SmallVector<int64_t> shape(shapeOf(fragment));
    if (op.getTransposed())
      std::swap(shape[0], shape[1]);
    return shape;
  }

  static ArrayRef<int64_t> shapeOf(Value fragment) {
    return cast<RankedTensorType>(fragment.getType()).getShape();
  }
};

} // namespace
} // namespace ashlar
