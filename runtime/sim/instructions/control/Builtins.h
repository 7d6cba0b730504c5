// The functions that CUDA's system provides to kernels: they are declared in
// PTX and defined nowhere.
#pragma once

#include "runtime/sim/machine/Warp.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ashlar::sim {

/// vprintf, __assertfail, malloc and free.
bool isBuiltin(std::string_view name);

/// Calls it for each lane. The bytes of a lane's parameters follow each other,
/// each at its natural alignment.
void callBuiltin(
    Warp &warp, LaneMask active, std::string_view name,
    const std::array<std::vector<uint8_t>, warpLanes> &parameterBytes,
    std::array<std::vector<uint8_t>, warpLanes> &resultBytes);

} // namespace ashlar::sim
