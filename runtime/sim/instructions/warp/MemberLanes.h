// The lanes that take part in a `.sync` instruction of a warp: those of its
// membermask.
#pragma once

#include "runtime/sim/machine/Warp.h"

namespace ashlar::sim {

/// Checks the masks that the active lanes give in `members`, and gathers the
/// lanes in them: false when some are still elsewhere (the caller returns
/// Step::blocked). A lane that is not in its own mask, or one in whose mask
/// another lane gives a different mask, ends the launch.
bool gatherMembers(Warp &warp, LaneMask active, Slot members, const char *did);

/// Gathers, then calls `body(lanes)` for each set of lanes with one mask. Lanes
/// of the mask that have exited are left out.
template <class Body>
bool forEachGroup(Warp &warp, LaneMask active, Slot members, const char *did,
                  Body body) {
  if (!gatherMembers(warp, active, members, did))
    return false;
  const LaneMask *masks = warp.lanes<LaneMask>(members);
  while (active) {
    const auto first = static_cast<unsigned>(std::countr_zero(active));
    const LaneMask group = masks[first] & active;
    body(group);
    active &= ~group;
  }
  return true;
}

} // namespace ashlar::sim
