#include "passes/hopper_to_thread/Fragments.h"

#include "compiler/layout/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

namespace ashlar {

using namespace mlir;
using layout::Layout;

namespace {

/// Shape and stride leaves of a layout, first mode fastest.
std::vector<std::pair<int64_t, int64_t>> modes(const Layout &layout) {
  auto shape = layout.shape().flatten(), stride = layout.stride().flatten();
  std::vector<std::pair<int64_t, int64_t>> result;
  for (size_t i = 0; i < shape.size(); ++i)
    result.emplace_back(shape[i], stride[i]);
  return result;
}

Value vectorOf(PtxBuilder &b, ValueRange values) {
  auto type =
      VectorType::get({int64_t(values.size())}, values.front().getType());
  Value vector = LLVM::PoisonOp::create(b, b.loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(b, b.loc, vector, value, b.i32(i));
  return vector;
}

/// A register that is an integer as its bytes.
Type bytesOf(PtxBuilder &b, const FragmentType &type) {
  return VectorType::get({type.packed}, b.getIntegerType(8));
}

} // namespace

FragmentType::FragmentType(RankedTensorType type)
    : element(type.getElementType()),
      layout(tile::fragmentOf(type).getLayout()), values(layout.value.size()),
      packed(1), registerType(element) {
  if (tile::isPair(element))
    packed = std::gcd(values, int64_t(4));
  if (tile::elementBytes(element) == 1)
    registerType = IntegerType::get(type.getContext(),
                                    element.isInteger(1) ? 1 : 8 * int(packed));
  if ((element.isF16() || element.isBF16()) && values % 2 == 0) {
    packed = 2;
    registerType = VectorType::get({2}, element);
  }
}

int64_t FragmentType::words() const {
  return llvm::divideCeil(values * tile::elementBytes(element), 4);
}

Registers unpack(PtxBuilder &b, const FragmentType &type,
                 ValueRange registers) {
  if (type.packed == 1)
    return Registers(registers);
  Registers values;
  for (Value vector : registers) {
    if (!type.holdsHalves())
      vector = LLVM::BitcastOp::create(b, b.loc, bytesOf(b, type), vector);
    for (int64_t i = 0; i < type.packed; ++i)
      values.push_back(b.extract(vector, i));
  }
  return values;
}

Registers pack(PtxBuilder &b, const FragmentType &type, ValueRange values) {
  if (type.packed == 1)
    return Registers(values);
  Registers registers;
  for (size_t i = 0; i < values.size(); i += type.packed) {
    Value vector = vectorOf(b, values.slice(i, type.packed));
    registers.push_back(
        type.holdsHalves()
            ? vector
            : LLVM::BitcastOp::create(b, b.loc, type.registerType, vector));
  }
  return registers;
}

Value image(PtxBuilder &b, const Layout &layout, Value coordinate) {
  Value result = b.i32(0);
  auto leaves = modes(layout);
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    auto [extent, stride] = leaf;
    bool last = i + 1 == leaves.size();
    if (stride)
      result = b.add(
          result, b.mul(last ? coordinate : b.rem(coordinate, extent), stride));
    if (!last)
      coordinate = b.div(coordinate, extent);
  }
  return result;
}

Value swizzled(PtxBuilder &b, const layout::Swizzle &swizzle, Value offset) {
  if (!swizzle.bits)
    return offset;
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
  Value moved =
      b.createOrFold<arith::ShRUIOp>(b.loc, offset, b.i32(swizzle.shift));
  return b.bitXor(offset, b.bitAnd(moved, b.i32(mask)));
}

Value swizzledAddress(PtxBuilder &b, Value start,
                      const layout::Swizzle &swizzle, Value offset,
                      int64_t constant) {
  const int64_t period =
      swizzle.bits ? int64_t(1) << (swizzle.base + swizzle.shift + swizzle.bits)
                   : 1;
  const int64_t whole = constant / period * period;
  return b.add(
      b.add(start, swizzled(b, swizzle, b.add(offset, constant - whole))),
      whole);
}

Place placeOf(PtxBuilder &b, const FragmentType &type, Value thread) {
  Place place;
  const auto &shape = type.layout.shape;
  for (const Layout &dimension :
       layout::perDimension(type.layout.thread, shape)) {
    // Every thread mode is divided out of the thread's number in turn; the last
    // one needs a remainder too, as roles may have more threads than a layout.
    Value rest = thread, coordinate = b.i32(0);
    auto leaves = modes(dimension);
    for (auto [i, leaf] : llvm::enumerate(leaves)) {
      auto [extent, stride] = leaf;
      if (stride)
        coordinate = b.add(coordinate, b.mul(b.rem(rest, extent), stride));
      if (i + 1 < leaves.size())
        rest = b.div(rest, extent);
    }
    place.thread.push_back(coordinate);
  }
  for (const Layout &dimension :
       layout::perDimension(type.layout.value, shape)) {
    std::vector<int64_t> offsets;
    for (int64_t value = 0; value < type.values; ++value)
      offsets.push_back(dimension(value));
    place.value.push_back(std::move(offsets));
  }
  return place;
}

Place placeOf(ThreadBuilder &b, const FragmentType &type) {
  return placeOf(b, type, b.threadOfRole());
}

Value isFirstCopy(ThreadBuilder &b, const FragmentType &type) {
  Value isFirst;
  for (auto [position, extent] : layout::copiesAmongThreads(type.layout)) {
    Value number = b.rem(b.div(b.threadOfRole(), position), extent);
    isFirst = b.both(isFirst, b.equal(number, b.i32(0)));
  }
  return isFirst;
}

Place placeInMemory(ThreadBuilder &b, const FragmentType &type,
                    bool transposed) {
  Place place = placeOf(b, type);
  if (transposed) {
    std::swap(place.thread[0], place.thread[1]);
    std::swap(place.value[0], place.value[1]);
  }
  return place;
}

} // namespace ashlar
