// How far a launch has come, to be read while it runs.
#pragma once

#include <atomic>
#include <cstdint>

namespace ashlar::sim {

struct Progress {
  std::atomic<uint32_t> clusters = 0, finishedClusters = 0;
  /// That warps have executed: one for all lanes that execute it together, also
  /// where its guard holds for none of them. An attempt that has to wait does
  /// not count.
  std::atomic<uint64_t> instructions = 0;
};

} // namespace ashlar::sim
