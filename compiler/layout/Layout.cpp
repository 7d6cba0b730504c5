#include "compiler/layout/Layout.h"

#include <ostream>

namespace ashlar::layout {

namespace {

int64_t evaluate(const IntTuple &shape, const IntTuple &stride,
                 int64_t linear) {
  if (shape.isLeaf())
    return linear * stride.value();
  int64_t offset = 0;
  int64_t last = shape.size() - 1;
  for (int64_t i = 0; i < last; ++i) {
    int64_t extent = shape[i].product();
    offset += evaluate(shape[i], stride[i], linear % extent);
    linear /= extent;
  }
  return last < 0 ? 0 : offset + evaluate(shape[last], stride[last], linear);
}

int64_t evaluate(const IntTuple &shape, const IntTuple &stride,
                 const IntTuple &coordinate) {
  if (coordinate.isLeaf())
    return evaluate(shape, stride, coordinate.value());
  assert(shape.size() == coordinate.size() && !shape.isLeaf() &&
         "the coordinate does not fit the shape");
  int64_t offset = 0;
  for (int64_t i = 0; i < shape.size(); ++i)
    offset += evaluate(shape[i], stride[i], coordinate[i]);
  return offset;
}

/// Beyond any memory, and far enough from overflow that a sum of offsets or the
/// offset of a tile in a tile is one, too.
constexpr int64_t MaxNumber = int64_t(1) << 48;

/// The compact strides of `shape` with the rightmost leaf fastest, from
/// `current` on.
IntTuple rowMajorStrides(const IntTuple &shape, int64_t &current) {
  if (shape.isLeaf()) {
    int64_t stride = current;
    current *= shape.value();
    return stride;
  }
  std::vector<IntTuple> strides(shape.size());
  for (int64_t i = shape.size() - 1; i >= 0; --i)
    strides[i] = rowMajorStrides(shape[i], current);
  return IntTuple(std::move(strides));
}

IntTuple columnMajorStrides(const IntTuple &shape) {
  int64_t current = 1;
  return shape.map([&](int64_t extent) {
    int64_t stride = current;
    current *= extent;
    return stride;
  });
}

} // namespace

Layout::Layout(const IntTuple &shape)
    : Layout(shape, columnMajorStrides(shape)) {}

Layout::Layout(IntTuple shape, IntTuple stride)
    : theShape(std::move(shape)), theStride(std::move(stride)) {
  assert(congruent(theShape, theStride) && "not trees of the same form");
}

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (!congruent(shape, stride))
    return refuse("the shape ", shape, " and the stride ", stride,
                  " are not trees of the same form");
  std::vector<int64_t> extents = shape.flatten(), steps = stride.flatten();
  for (int64_t extent : extents)
    if (extent < 1)
      return refuse("the shape ", shape, " has an extent of ", extent,
                    "; extents are at least 1");
  for (int64_t step : steps)
    if (step < 0)
      return refuse("the stride ", stride, " contains ", step,
                    "; strides are not negative");
  int64_t size = 1, end = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] > MaxNumber / size || steps[i] > MaxNumber / extents[i] ||
        end > MaxNumber - extents[i] * steps[i])
      return refuse("the layout ", shape, ":", stride,
                    " has more than 2^48 elements or offsets");
    size *= extents[i];
    end += extents[i] * steps[i];
  }
  return Layout(std::move(shape), std::move(stride));
}

Layout Layout::rowMajor(const IntTuple &shape) {
  int64_t current = 1;
  return Layout(shape, rowMajorStrides(shape, current));
}

Result<Layout> Layout::parse(std::string_view text) {
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return refuse("'", text, "' is not a layout: expected shape:stride");
  Result<IntTuple> shape = IntTuple::parse(text.substr(0, colon));
  if (!shape)
    return shape.refusal();
  Result<IntTuple> stride = IntTuple::parse(text.substr(colon + 1));
  if (!stride)
    return stride.refusal();
  return make(*shape, *stride);
}

std::vector<Layout> Layout::modes() const {
  std::vector<Layout> result;
  for (int64_t i = 0; i < rank(); ++i)
    result.push_back(mode(i));
  return result;
}

int64_t Layout::cosize() const {
  return 1 + evaluate(theShape, theStride, size() - 1);
}

int64_t Layout::operator()(int64_t linear) const {
  assert(linear >= 0 && "a coordinate is not negative");
  return evaluate(theShape, theStride, linear);
}

int64_t Layout::operator()(const IntTuple &coordinate) const {
  return evaluate(theShape, theStride, coordinate);
}

int64_t Layout::at(std::span<const int64_t> coordinates) const {
  assert(static_cast<int64_t>(coordinates.size()) == rank() &&
         "one coordinate for each mode");
  int64_t offset = 0;
  for (int64_t i = 0; i < rank(); ++i)
    offset += evaluate(theShape[i], theStride[i], coordinates[i]);
  return offset;
}

std::string Layout::str() const {
  return theShape.str() + ":" + theStride.str();
}

std::ostream &operator<<(std::ostream &out, const Layout &layout) {
  return out << layout.str();
}

Layout concat(const std::vector<Layout> &modes) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout &mode : modes) {
    shapes.push_back(mode.shape());
    strides.push_back(mode.stride());
  }
  return Layout(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

} // namespace ashlar::layout
