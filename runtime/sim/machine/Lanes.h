// The 32 lanes of a warp.
#pragma once

#include <bit>
#include <cstdint>

namespace ashlar::sim {

inline constexpr unsigned warpLanes = 32;

/// Bit i stands for lane i.
using LaneMask = uint32_t;
inline constexpr LaneMask allLanes = 0xffffffffu;

/// Calls `body(lane)` for each lane of the mask, lowest first.
template <class Body> void forEachLane(LaneMask mask, Body body) {
  for (; mask; mask &= mask - 1)
    body(static_cast<unsigned>(std::countr_zero(mask)));
}

} // namespace ashlar::sim
