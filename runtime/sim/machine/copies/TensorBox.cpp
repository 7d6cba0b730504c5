#include "runtime/sim/machine/copies/TensorBox.h"

#include <algorithm>

namespace ashlar::sim {

// cuTensorMapEncodeTiled: the stride of dimension 0 is ignored without
// interleave, and ceil(box / stride) elements are moved along the others.
uint32_t TensorBox::count(unsigned dimension) const {
  if (dimension == 0)
    return map.box[0];
  const uint32_t stride = map.elementStrides[dimension];
  return (map.box[dimension] + stride - 1) / stride;
}

uint32_t TensorBox::rowCount() const {
  uint32_t rows = 1;
  for (unsigned i = 1; i < map.rank; ++i)
    rows *= count(i);
  return rows;
}

TileLayout TensorBox::layout() const {
  return {rowBytes(), std::max(rowBytes(), map.swizzleBytes()),
          map.swizzleBytes(), map.elementType(), map.fill == 1};
}

std::vector<CopyRow> TensorBox::rows(uint32_t endAlignment) const {
  const int64_t elementBytes = map.elementBytes(), width = rowBytes();
  const int64_t start = int64_t(at[0]) * elementBytes; // in the tensor's row
  const auto rowEnd =
      static_cast<int64_t>((map.extents[0] * elementBytes + endAlignment - 1) /
                           endAlignment * endAlignment);
  const int64_t begin = std::clamp<int64_t>(-start, 0, width);
  const int64_t end = std::clamp<int64_t>(rowEnd - start, begin, width);

  std::vector<CopyRow> result(rowCount());
  std::array<uint32_t, maxTensorRank> index = {};
  const uint32_t pitch = layout().pitchBytes;
  uint32_t shared = 0;
  for (CopyRow &row : result) {
    bool inside = true;
    auto offset = static_cast<uint64_t>(start);
    for (unsigned i = 1; i < map.rank; ++i) {
      const int64_t coordinate =
          int64_t(at[i]) + int64_t(index[i]) * map.elementStrides[i];
      inside &=
          coordinate >= 0 && coordinate < static_cast<int64_t>(map.extents[i]);
      offset += static_cast<uint64_t>(coordinate) * map.strideBytes[i - 1];
    }
    row.global = map.address + offset;
    row.shared = shared;
    if (inside) {
      row.begin = static_cast<uint32_t>(begin);
      row.end = static_cast<uint32_t>(end);
    }
    shared += pitch;
    for (unsigned i = 1; i < map.rank && ++index[i] == count(i); ++i)
      index[i] = 0;
  }
  return result;
}

std::string TensorBox::describe() const {
  std::string shape, place;
  for (unsigned i = 0; i < map.rank; ++i) {
    shape = std::to_string(count(i)) + (i ? "x" : "") + shape;
    place += (i ? ", " : "") + std::to_string(at[i]);
  }
  return shape + " " + name(map.elementType()) + " tile at (" + place + ")";
}

} // namespace ashlar::sim
