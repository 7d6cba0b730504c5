// How many boxes TMA copies for each line of the author, and how many of them
// lie wholly outside of their tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ashlar::sim {

struct CopiedBoxes {
  uint64_t all = 0, outside = 0;
};
using CopiesByLine = std::map<std::string, CopiedBoxes>;

} // namespace ashlar::sim
