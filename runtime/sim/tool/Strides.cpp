#include "runtime/sim/tool/Strides.h"

#include <algorithm>
#include <numeric>

namespace ashlar::sim::tool {

std::optional<uint64_t> stridedBytes(const std::vector<uint64_t> &shape,
                                     const std::vector<uint64_t> &strides,
                                     unsigned elementBytes) {
  constexpr uint64_t most = uint64_t(1) << 40;
  if (std::ranges::count(shape, 0u))
    return 0;
  std::vector<size_t> ascending(shape.size());
  std::iota(ascending.begin(), ascending.end(), size_t(0));
  std::ranges::sort(ascending, {}, [&](size_t d) { return strides[d]; });
  uint64_t span = 1;
  for (size_t d : ascending) {
    if (shape[d] == 1)
      continue;
    if (strides[d] < span || strides[d] > most / (shape[d] - 1))
      return std::nullopt;
    span += strides[d] * (shape[d] - 1);
    if (span > most)
      return std::nullopt;
  }
  return span * elementBytes;
}

void forEachStretch(const Buffer &buffer,
                    const std::function<void(uint64_t dense, uint64_t offset,
                                             uint64_t sizeBytes)> &visit) {
  const uint64_t size = sizeBytes(buffer.element);
  if (buffer.strides.empty())
    return visit(0, 0, buffer.bytes.size());
  const size_t rank = buffer.shape.size();
  const bool isRow = rank > 0 && buffer.strides.back() == 1;
  const uint64_t run = isRow ? buffer.shape.back() * size : size;
  std::vector<uint64_t> at(rank);
  for (uint64_t dense = 0; dense < buffer.bytes.size(); dense += run) {
    uint64_t offset = 0;
    for (size_t d = 0; d < rank; ++d)
      offset += at[d] * buffer.strides[d];
    visit(dense, offset * size, run);
    for (size_t d = rank - isRow; d-- > 0 && ++at[d] == buffer.shape[d];)
      at[d] = 0;
  }
}

} // namespace ashlar::sim::tool
