// Where the values of a fragment lie: which thread, which register, which
// element.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ThreadLowering.h"

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

} // namespace

FragmentType::FragmentType(RankedTensorType type)
    : element(type.getElementType()),
      layout(tile::fragmentOf(type).getLayout()), values(layout.value.size()),
      packed(1), registerType(element) {
  if (tile::elementBytes(element) == 1)
    registerType =
        IntegerType::get(type.getContext(), element.isInteger(1) ? 1 : 8);
  if ((element.isF16() || element.isBF16()) && values % 2 == 0) {
    packed = 2;
    registerType = VectorType::get({2}, element);
  }
}

Value ThreadLowering::image(const Layout &layout, Value coordinate) {
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

Value ThreadLowering::swizzled(const layout::Swizzle &swizzle, Value offset) {
  if (!swizzle.bits)
    return offset;
  int64_t mask = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
  Value moved =
      b.createOrFold<arith::ShRUIOp>(b.loc, offset, b.i32(swizzle.shift));
  return b.createOrFold<arith::XOrIOp>(b.loc, offset,
                                       b.bitAnd(moved, b.i32(mask)));
}

ThreadLowering::Place ThreadLowering::placeOf(const FragmentType &type,
                                              Value thread) {
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

} // namespace ashlar
