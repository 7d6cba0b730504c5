// What strong accesses have published at addresses of memory.
//
// PTX ISA, "Release and Acquire Patterns": a strong write publishes what its
// own release, or a fence before it, has made ready; a read that observes the
// write, or a chain of read-modify-writes behind it, learns it.
#pragma once

#include "runtime/sim/machine/races/Clock.h"

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ashlar::sim {

class Publications {
public:
  using Published = std::shared_ptr<const Causality>;

  bool empty() const { return byAddress.empty(); }
  /// Null when nothing is published there.
  Published at(uint64_t address) const {
    auto found = byAddress.find(address);
    return found == byAddress.end() ? nullptr : found->second;
  }
  /// A plain write ends what was published there before; a read-modify-write
  /// adds to it. `published` may be null.
  void write(uint64_t address, const Published &published) {
    if (published)
      byAddress[address] = published;
    else
      byAddress.erase(address);
  }
  void add(uint64_t address, const Published &published) {
    if (!published)
      return;
    Published &there = byAddress[address];
    if (!there) {
      there = published;
    } else if (there != published) {
      auto joined = std::make_shared<Causality>(*there);
      joined->join(*published);
      there = std::move(joined);
    }
  }

private:
  std::unordered_map<uint64_t, Published> byAddress;
};

} // namespace ashlar::sim
