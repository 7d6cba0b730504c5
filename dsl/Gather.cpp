#include "ashlar/gather.h"
#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"
#include "SharedType.h"
#include "TileRef.h"

namespace ashlar {

using namespace detail;

namespace {

using Coordinates = std::initializer_list<TileOperand>;

/// What single elements are read of or written to.
struct Memory {
  mlir::Value value;
  mlir::Type element;
  int64_t rank;
  std::string subject; ///< "tensor 'X'"
};

Memory memoryOf(Trace &trace, const Tensor &tensor, Direction direction,
                SourceLocation where) {
  tile::TensorOp op = readTensor(trace, tensor, where);
  checkAccess(op, direction, where);
  auto type = op.getResult().getType();
  return {op.getResult(), type.getElementType(), type.getRank(),
          "tensor '" + op.getName().str() + "'"};
}

Memory memoryOf(Trace &trace, const SharedTile &tile, Direction direction,
                SourceLocation where) {
  auto shared = readOwn(
      trace, tile, direction == Direction::read ? "gather" : "scatter", where);
  tile::SharedType type = shared.getType();
  return {shared, type.getElementType(), int64_t(type.getShape().size()),
          "the shared tile " + describe(type)};
}

/// Two elements that share a byte are moved together.
void refusePairs(const Memory &memory, const char *call, SourceLocation where) {
  if (tile::pairOf(memory.element))
    fail(where, memory.subject + " holds " + describe(memory.element) +
                    ", two to a byte, and " + call +
                    " moves single elements: load or store rows of them");
}

/// The coordinates as fragments of s32 of the shape to which they, and `value`
/// if there is one, broadcast.
llvm::SmallVector<mlir::Value>
spreadAll(Trace &trace, const Memory &memory, Coordinates coordinates,
          mlir::Value value, const char *function, SourceLocation where) {
  if (static_cast<int64_t>(coordinates.size()) != memory.rank)
    fail(where, memory.subject + " has " + std::to_string(memory.rank) +
                    " dimensions and " + function + " gives " +
                    std::to_string(coordinates.size()) +
                    " coordinates; give one for each dimension");
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<int64_t> shape;
  if (value)
    shape.assign(
        llvm::cast<mlir::RankedTensorType>(value.getType()).getShape());
  for (const TileOperand &coordinate : coordinates) {
    values.push_back(readTile(trace, coordinate));
    if (!coordinate.fragment)
      continue;
    auto type = llvm::cast<mlir::RankedTensorType>(values.back().getType());
    if (!type.getElementType().isInteger(32))
      fail(where, std::string(function) + " has a coordinate of " +
                      describe(type.getElementType()) +
                      "; coordinates are s32: convert the fragment");
    shape = broadcastShape(shape, type.getShape());
  }
  if (shape.empty())
    fail(where, std::string("no coordinate of ") + function +
                    " is a fragment, so the result has no shape; load_index "
                    "and load_scalar read one element");
  auto type = mlir::RankedTensorType::get(
      shape, mlir::IntegerType::get(trace.context(), 32));
  for (auto [coordinate, each] : llvm::zip(coordinates, values))
    each = spread(trace, coordinate, each, type, where);
  return values;
}

template <class Of>
Fragment gatherFrom(const Of &source, Coordinates coordinates,
                    SourceLocation where) {
  Trace &trace = Trace::current(where);
  Memory memory = memoryOf(trace, source, Direction::read, where);
  refusePairs(memory, "gather", where);
  auto at = spreadAll(trace, memory, coordinates, {}, "gather", where);
  auto type = llvm::cast<mlir::RankedTensorType>(at.front().getType());
  mlir::Value value = trace.create<tile::GatherOp>(
      where, type.clone(tile::registerType(memory.element)), memory.value, at);
  if (memory.element.isUnsignedInteger())
    value = emitZeroExtend(trace, value, type.getElementType(), where);
  return trace.declare<Fragment>(HandleKind::fragment, value, where);
}

template <class To>
void scatterTo(const To &target, Coordinates coordinates,
               const Fragment &fragment, tile::ReductionAttr reduction,
               SourceLocation where) {
  Trace &trace = Trace::current(where);
  Memory memory = memoryOf(
      trace, target, reduction ? Direction::combine : Direction::write, where);
  refusePairs(memory, "scatter", where);
  mlir::Value value = trace.read(fragment, where);
  mlir::Type element =
      llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  if (!holdsSame(memory.element, element))
    fail(where, memory.subject + " holds " + describe(memory.element) +
                    " and the fragment " + describe(element) +
                    "; convert the fragment");
  auto at = spreadAll(trace, memory, coordinates, value, "scatter", where);
  value = broadcastLeading(
      trace, value,
      llvm::cast<mlir::RankedTensorType>(at.front().getType()).getShape(),
      where);
  trace.create<tile::ScatterOp>(where, value, memory.value, at, reduction);
}

} // namespace

Fragment gather(const Tensor &source, Coordinates coordinates,
                SourceLocation where) {
  return gatherFrom(source, coordinates, where);
}
Fragment gather(const SharedTile &source, Coordinates coordinates,
                SourceLocation where) {
  return gatherFrom(source, coordinates, where);
}

void scatter(const Tensor &target, Coordinates coordinates,
             const Fragment &value, SourceLocation where) {
  scatterTo(target, coordinates, value, {}, where);
}
void scatter(const SharedTile &target, Coordinates coordinates,
             const Fragment &value, SourceLocation where) {
  scatterTo(target, coordinates, value, {}, where);
}

void scatter(const Tensor &target, Coordinates coordinates,
             const Fragment &value, Reduction reduction, SourceLocation where) {
  scatterTo(target, coordinates, value,
            attributeOf(Trace::current(where), reduction), where);
}
void scatter(const SharedTile &target, Coordinates coordinates,
             const Fragment &value, Reduction reduction, SourceLocation where) {
  scatterTo(target, coordinates, value,
            attributeOf(Trace::current(where), reduction), where);
}

} // namespace ashlar
