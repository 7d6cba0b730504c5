#include "runtime/sim/machine/memory/TensorBounds.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ashlar::sim {
namespace {

std::string bytes(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string listed(const std::vector<uint64_t> &numbers, const char *between) {
  std::string text;
  for (uint64_t number : numbers)
    text += (text.empty() ? "" : between) + std::to_string(number);
  return text;
}

bool isDense(const Tensor &tensor) {
  uint64_t stride = 1;
  for (size_t d = tensor.extents.size(); d-- > 0;
       stride *= std::max<uint64_t>(tensor.extents[d], 1))
    if (tensor.extents[d] > 1 && tensor.strides[d] != stride)
      return false;
  return true;
}

/// "tensor 'A' (5 x 7 elements of 4 bytes, strides 8, 1)".
std::string shown(const Tensor &tensor) {
  std::string text = "tensor '" + tensor.name + "' (" +
                     (tensor.extents.empty() ? std::string("1")
                                             : listed(tensor.extents, " x ")) +
                     " elements of " + bytes(tensor.elementBytes);
  if (!isDense(tensor))
    text += ", strides " + listed(tensor.strides, ", ");
  return text + ")";
}

/// "[1, :] of ": the elements of the stretch of `runBytes` that begins
/// `offset` bytes behind the tensor.
std::string stretch(const Tensor &tensor, uint64_t offset, uint64_t runBytes) {
  std::vector<size_t> descending(tensor.extents.size());
  std::iota(descending.begin(), descending.end(), size_t(0));
  std::ranges::stable_sort(descending, std::ranges::greater(),
                           [&](size_t d) { return tensor.strides[d]; });
  std::vector<std::string> indices(descending.size(), ":");
  for (size_t d : descending) {
    const uint64_t stride = tensor.strides[d] * tensor.elementBytes;
    if (stride == 0 || (stride < runBytes && tensor.extents[d] > 1))
      continue;
    const uint64_t index = std::min(offset / stride, tensor.extents[d] - 1);
    indices[d] = std::to_string(index);
    offset -= index * stride;
  }
  std::string text;
  for (const std::string &index : indices)
    text += (text.empty() ? "[" : ", ") + index;
  return text + "] of ";
}

} // namespace

TensorBounds::Place TensorBounds::place(const Tensor &tensor, uint64_t offset) {
  Place place;
  place.tensor = tensor;
  place.begin = offset;
  if (std::ranges::find(tensor.extents, 0u) != tensor.extents.end())
    return place;
  std::vector<Place::Dimension> ascending;
  for (size_t d = 0; d < tensor.extents.size(); ++d)
    if (tensor.extents[d] > 1 && tensor.strides[d] > 0)
      ascending.push_back(
          {tensor.strides[d] * tensor.elementBytes, tensor.extents[d]});
  std::ranges::sort(ascending, {}, &Place::Dimension::strideBytes);
  place.runBytes = place.spanBytes = tensor.elementBytes;
  bool overlaps = false;
  for (const auto &[stride, extent] : ascending) {
    overlaps |= stride < place.spanBytes;
    place.spanBytes += stride * (extent - 1);
    auto &dimensions = place.dimensions;
    if (dimensions.empty() && stride == place.runBytes)
      place.runBytes *= extent;
    else if (!dimensions.empty() &&
             stride == dimensions.back().strideBytes * dimensions.back().extent)
      dimensions.back().extent *= extent;
    else
      dimensions.push_back({stride, extent});
  }
  std::ranges::reverse(place.dimensions);
  // Elements that overlap leave gaps that no formula tells.
  if (overlaps) {
    place.runBytes = place.spanBytes;
    place.dimensions.clear();
  }
  return place;
}

void TensorBounds::add(const Tensor &tensor, uint64_t offset) {
  places.push_back(place(tensor, offset));
}

TensorBounds::Run TensorBounds::Place::runAt(uint64_t offset) const {
  uint64_t rest = offset - begin;
  if (offset < begin || rest >= spanBytes)
    return {};
  for (const auto &[stride, extent] : dimensions)
    rest -= std::min(rest / stride, extent - 1) * stride;
  return {offset - rest, offset - rest + runBytes};
}

TensorBounds::Run TensorBounds::runAround(uint64_t offset,
                                          uint64_t sizeBytes) const {
  for (const Place &place : places)
    if (const Run run = place.runAt(offset); run.contains(offset, sizeBytes))
      return run;
  return {};
}

bool TensorBounds::isAround(uint64_t offset, uint64_t sizeBytes) const {
  return std::ranges::any_of(places, [&](const Place &place) {
    const Run whole{place.begin, place.begin + place.spanBytes};
    if (!whole.contains(offset, sizeBytes))
      return false;
    for (uint64_t byte = offset; byte < offset + sizeBytes; ++byte)
      if (place.runAt(byte).contains(byte, 1))
        return true;
    return false;
  });
}

const TensorBounds::Place &TensorBounds::nearest(uint64_t offset,
                                                 uint64_t sizeBytes) const {
  return *std::ranges::min_element(places, {}, [&](const Place &place) {
    if (offset + sizeBytes <= place.begin)
      return place.begin - (offset + sizeBytes) + 1;
    const uint64_t end = place.begin + place.spanBytes;
    return offset >= end ? offset - end + 1 : 0;
  });
}

std::string TensorBounds::describe(uint64_t offset, uint64_t sizeBytes,
                                   uint64_t allocatedBytes) const {
  const Place &place = nearest(offset, sizeBytes);
  const std::string tensor = shown(place.tensor),
                    accessed = bytes(sizeBytes) +
                               (sizeBytes == 1 ? " is" : " are") + " accessed ";
  if (place.runAt(offset).contains(offset, sizeBytes))
    return accessed + "of " + tensor + ", whose memory is too small: it has " +
           bytes(allocatedBytes - place.begin) + " and needs " +
           std::to_string(place.spanBytes) + ": allocate as many";
  const std::string where = ", where none of its elements lies";
  if (offset < place.begin) {
    const uint64_t before = place.begin - offset;
    return accessed +
           (before >= sizeBytes ? bytes(before) + " before the beginning of "
                                : "of which the first " + bytes(before) +
                                      " lie before the beginning of ") +
           tensor + where;
  }
  const uint64_t end = place.begin + place.spanBytes;
  const Run run = offset < end ? place.runAt(offset) : Run{place.begin, end};
  const std::string whole =
      (run.end < end
           ? stretch(place.tensor, run.begin - place.begin, place.runBytes)
           : "") +
      tensor + where;
  if (offset < run.end)
    return accessed + "of which the last " +
           bytes(offset + sizeBytes - run.end) + " lie behind the end of " +
           whole;
  return accessed + (offset == run.end ? "right" : bytes(offset - run.end)) +
         " behind the end of " + whole;
}

} // namespace ashlar::sim
