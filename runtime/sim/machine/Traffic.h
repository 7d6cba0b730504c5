// What a launch executes and moves, to be set against its elements.
#pragma once

#include "runtime/sim/machine/Lanes.h"

#include <array>
#include <cstdint>

namespace ashlar::sim {

/// Loads or stores by the threads, of global or of shared memory.
struct Accesses {
  uint64_t bytes = 0;
  uint64_t wideBytes = 0; // of them in accesses of 16 bytes a thread
  /// Of global memory: bytes of the sectors of 32 bytes that they touch.
  uint64_t sectorBytes = 0;
  /// Of shared memory: how often the banks serve a warp, and how often they
  /// would if no two lanes wanted different words of one bank.
  uint64_t passes = 0, leastPasses = 0;

  void add(const Accesses &other);
};

struct Traffic {
  uint64_t instructions = 0; // as Progress counts them
  Accesses globalLoads, globalStores, sharedLoads, sharedStores;
  uint64_t atomics = 0; // of single lanes, reductions included
  /// By TMA, bulk copies and cp.async, between global and shared memory.
  uint64_t copiedIn = 0, copiedOut = 0;

  void add(const Traffic &other);
  enum class Space { global, shared };
  /// Counts an access by the lanes.
  void access(Space space, bool writes, LaneMask lanes,
              const std::array<uint64_t, warpLanes> &addresses,
              unsigned sizeBytes);
};

} // namespace ashlar::sim
