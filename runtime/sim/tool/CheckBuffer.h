// A buffer after the launch against what it should hold.
#pragma once

#include "runtime/sim/tool/RunDescription.h"

namespace ashlar::sim::tool {

/// NaNs are equal to each other, and 0 to -0; integers without a tolerance are
/// compared by their bits.
Check checkBuffer(const Buffer &buffer, const std::vector<uint8_t> &result);

} // namespace ashlar::sim::tool
