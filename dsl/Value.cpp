#include "ashlar/value.h"
#include "Describe.h"
#include "Elementwise.h"
#include "SharedType.h"
#include "TileRef.h"
#include "compiler/target/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ashlar {

using namespace detail;

namespace {

mlir::Type i32(Trace &trace) {
  return mlir::IntegerType::get(trace.context(), 32);
}

/// A number of memory as an index.
Index toIndex(Trace &trace, mlir::Value value, mlir::Type memory,
              SourceLocation where) {
  if (!memory.isInteger() || tile::isStorage(memory))
    fail(where, "load_index reads " + describe(memory) +
                    "; an index is read of s32, s16, s8 or u8: use "
                    "load_scalar");
  mlir::Value number = memory.isUnsignedInteger()
                           ? emitZeroExtend(trace, value, i32(trace), where)
                           : emitConvert(trace, value, i32(trace), where);
  // So 32 bits hold what is next to it as well.
  for (auto [operation, bound] :
       {std::pair(Binary::min, target::largestIndex),
        std::pair(Binary::max, -target::largestIndex)})
    number = emit(trace, operation, number,
                  emitNumber(trace, double(bound), i32(trace), where), where);
  return trace.declare<Index>(
      HandleKind::index,
      trace.emit<mlir::arith::IndexCastOp>(
          where, mlir::IndexType::get(trace.context()), number),
      where);
}

Scalar toScalar(Trace &trace, mlir::Value value, mlir::Type memory,
                SourceLocation where) {
  mlir::Type type = value.getType();
  if (!type.isF32() && !type.isF16() && !type.isBF16() && !type.isInteger(32))
    fail(where, "load_scalar reads " + describe(memory) +
                    "; a scalar is read of f32, bf16, f16 or s32");
  return trace.declare<Scalar>(HandleKind::scalar, value, where);
}

/// The element and the type that it has in memory.
std::pair<mlir::Value, mlir::Type> valueOf(Trace &trace, const TileRef &element,
                                           SourceLocation where) {
  tile::TensorOp tensor = readTensor(trace, element.tensor, where);
  mlir::Type memory = tensor.getResult().getType().getElementType();
  Place place =
      resolve(trace, element, {}, memory, "the value", Direction::read, where);
  mlir::Value value = trace.create<tile::ValueOp>(
      where, tile::registerType(memory), place.tensor.getResult(),
      place.offsets, /*apart=*/false);
  return {value, memory};
}

std::pair<mlir::Value, mlir::Type>
valueOf(Trace &trace, const SharedTile &tile,
        std::initializer_list<Index> coordinate, SourceLocation where) {
  auto shared = readOwn(trace, tile, "a value is read, which", where);
  tile::SharedType type = shared.getType();
  if (coordinate.size() != type.getShape().size())
    fail(where, "a value of the shared tile " + describe(type) +
                    " is read at " + std::to_string(coordinate.size()) +
                    " coordinates; give one for each dimension");
  llvm::SmallVector<mlir::Value> at;
  for (auto [index, extent] : llvm::zip(coordinate, type.getShape())) {
    at.push_back(trace.read(index, where));
    auto number = mlir::getConstantIntValue(at.back());
    if (number && (*number < 0 || *number >= extent))
      fail(where, "a value is read at coordinate " + std::to_string(*number) +
                      " of a dimension of " + std::to_string(extent) +
                      " of the shared tile " + describe(type));
  }
  mlir::Type memory = type.getElementType();
  mlir::Value value = trace.create<tile::SharedValueOp>(
      where, tile::registerType(memory), shared, at);
  return {value, memory};
}

mlir::Value number(Trace &trace, const Index &index, SourceLocation where) {
  return emitNumberOf(trace, trace.read(index, where), i32(trace), where);
}

mlir::Value atomic(Trace &trace, tile::Atomic kind, const TileRef &element,
                   mlir::Value value, mlir::Value compared, Scope scope,
                   SourceLocation where) {
  Place place = resolve(trace, element, {}, value.getType(), "the value",
                        Direction::combine, where);
  return trace.create<tile::AtomicOp>(where, value.getType(), kind, value,
                                      compared, place.tensor.getResult(),
                                      place.offsets, scope == Scope::system,
                                      /*apart=*/false);
}

Index atomicIndex(tile::Atomic kind, const TileRef &element, const Index &value,
                  const Index *compared, Scope scope, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value old = atomic(
      trace, kind, element, number(trace, value, where),
      compared ? number(trace, *compared, where) : mlir::Value(), scope, where);
  return toIndex(trace, old, old.getType(), where);
}

} // namespace

Index load_index(const TileRef &element, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto [value, memory] = valueOf(trace, element, where);
  return toIndex(trace, value, memory, where);
}

Scalar load_scalar(const TileRef &element, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto [value, memory] = valueOf(trace, element, where);
  return toScalar(trace, value, memory, where);
}

Index load_index(const SharedTile &tile,
                 std::initializer_list<Index> coordinate,
                 SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto [value, memory] = valueOf(trace, tile, coordinate, where);
  return toIndex(trace, value, memory, where);
}

Scalar load_scalar(const SharedTile &tile,
                   std::initializer_list<Index> coordinate,
                   SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto [value, memory] = valueOf(trace, tile, coordinate, where);
  return toScalar(trace, value, memory, where);
}

Index atomic_add(const TileRef &element, const Index &amount, Scope scope,
                 SourceLocation where) {
  return atomicIndex(tile::Atomic::add, element, amount, nullptr, scope, where);
}
Index atomic_max(const TileRef &element, const Index &value, Scope scope,
                 SourceLocation where) {
  return atomicIndex(tile::Atomic::max, element, value, nullptr, scope, where);
}
Index atomic_min(const TileRef &element, const Index &value, Scope scope,
                 SourceLocation where) {
  return atomicIndex(tile::Atomic::min, element, value, nullptr, scope, where);
}
Index atomic_exchange(const TileRef &element, const Index &value, Scope scope,
                      SourceLocation where) {
  return atomicIndex(tile::Atomic::exchange, element, value, nullptr, scope,
                     where);
}
Index atomic_compare_swap(const TileRef &element, const Index &compared,
                          const Index &value, Scope scope,
                          SourceLocation where) {
  return atomicIndex(tile::Atomic::compare_swap, element, value, &compared,
                     scope, where);
}
Scalar atomic_add(const TileRef &element, const Scalar &amount, Scope scope,
                  SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(amount, where);
  if (!value.getType().isF32())
    fail(where, "atomic_add adds a scalar of " + describe(value.getType()) +
                    "; of scalars it adds f32: convert it, or add an index");
  return trace.declare<Scalar>(
      HandleKind::scalar,
      atomic(trace, tile::Atomic::add, element, value, {}, scope, where),
      where);
}

} // namespace ashlar
