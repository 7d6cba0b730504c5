// The arguments in the description of a launch, and buffers made of them.
#pragma once

#include "runtime/sim/tool/Json.h"

namespace ashlar::sim::tool {

/// A pointer, a tensor map, bytes or a scalar.
Argument readArgument(const Value &value, const std::vector<Buffer> &buffers);

/// The size of a buffer that holds these items, one behind the other, each
/// aligned as in a C structure.
uint64_t itemBytes(const Value &items);

/// Reads the items of a buffer; they may lead to any of the buffers, all of
/// which have their sizes.
void readItems(const Value &items, std::vector<Buffer> &buffers, size_t buffer);

} // namespace ashlar::sim::tool
