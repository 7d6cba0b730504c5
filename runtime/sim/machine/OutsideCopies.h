// Copies by TMA of boxes that lie wholly outside of their tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ashlar::sim {

struct OutsideCopies {
  uint64_t count = 0;
  /// "TMA load of 128x64 bf16 tile at (8192, 0)": the first by its letters,
  /// whatever the schedule.
  std::string example;
};

/// By the author's line.
using OutsideByLine = std::map<std::string, OutsideCopies>;

} // namespace ashlar::sim
