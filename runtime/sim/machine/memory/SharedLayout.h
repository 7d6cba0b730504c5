// Where the shared variables of a kernel lie.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace ashlar::sim {

/// A variable of the module (function -1) or of one of its functions, by its
/// index there.
using VariableId = std::pair<int, uint32_t>;

/// Addresses in the shared window, the first bytes of which are reserved.
struct SharedLayout {
  std::map<VariableId, uint32_t> addresses; // of static variables
  uint32_t dynamicBegin = 0;
};

} // namespace ashlar::sim
