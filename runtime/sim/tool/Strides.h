// Where the elements of a buffer lie that has strides.
#pragma once

#include "runtime/sim/tool/Description.h"

#include <functional>
#include <optional>

namespace ashlar::sim::tool {

/// The bytes from the first to the last element; empty where elements overlap
/// or the number is beyond any device's memory.
std::optional<uint64_t> stridedBytes(const std::vector<uint64_t> &shape,
                                     const std::vector<uint64_t> &strides,
                                     unsigned elementBytes);

/// Calls `visit` with each stretch of elements that lie side by side, in order:
/// where it is among the elements alone, and where in device memory.
void forEachStretch(const Buffer &buffer,
                    const std::function<void(uint64_t dense, uint64_t offset,
                                             uint64_t sizeBytes)> &visit);

} // namespace ashlar::sim::tool
