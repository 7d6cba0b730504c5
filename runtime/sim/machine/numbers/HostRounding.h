// The host's rounding mode for a stretch of code.
#pragma once

#include "runtime/sim/machine/numbers/Formats.h"

#include <cfenv>

namespace ashlar::sim {

/// While it lives, f32 and f64 arithmetic of the host rounds as said (not
/// nearestAway). The compiler keeps loads and stores on their side of both
/// ends, so what is computed between them from memory to memory stays inside.
class HostRounding {
public:
  explicit HostRounding(Rounding rounding) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD};
    std::fesetround(modes[static_cast<int>(rounding)]);
    asm volatile("" ::: "memory");
  }
  ~HostRounding() {
    asm volatile("" ::: "memory");
    std::fesetround(FE_TONEAREST);
  }
  HostRounding(const HostRounding &) = delete;
  HostRounding &operator=(const HostRounding &) = delete;
};

} // namespace ashlar::sim
