// Loops in which nothing changes: they wait for a change in memory, or never
// end.
#pragma once

#include "runtime/sim/machine/Warp.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ashlar::sim {

/// What is remembered of a strand since it has jumped back to a place.
struct Strand::Snapshot {
  uint32_t at = 0;               // the place
  uint64_t changes = 0;          // Launch::changes
  uint64_t since = 0;            // Warp::executed, when it was last looked at
  std::optional<uint32_t> known; // where it has been found to repeat itself
  std::vector<std::byte> registers;          // empty before the place is chosen
  std::vector<Poll> polls;                   // accesses since then
  std::vector<const Instruction *> executed; // since then

  bool isWatching() const { return !registers.empty(); }
  void forget();
};

/// Whether the strand, back at the place of its snapshot, will do again what it
/// has done since, as long as memory does not change: no register has another
/// value but such as go into nothing else than their like, as the number of
/// tries does.
bool repeatsItself(Warp &warp, const std::byte *registers,
                   const Strand::Snapshot &snapshot);

} // namespace ashlar::sim
