#include "runtime/sim/instructions/warp/MemberLanes.h"

namespace ashlar::sim {

namespace {

std::string hexadecimal(LaneMask mask) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4)
    text += digits[mask >> shift & 15];
  return text;
}

} // namespace

bool gatherMembers(Warp &warp, LaneMask active, Slot members, const char *did) {
  const LaneMask *masks = warp.lanes<LaneMask>(members);
  LaneMask all = 0, common = allLanes, strangers = 0;
  forEachLane(active, [&](unsigned lane) {
    all |= masks[lane];
    common &= masks[lane];
    strangers |= (~masks[lane] >> lane & 1) << lane;
  });
  if (strangers) {
    const auto lane = static_cast<unsigned>(std::countr_zero(strangers));
    warp.stop(Finding::divergent,
              "lane " + std::to_string(lane) +
                  " executes it with the membermask " +
                  hexadecimal(masks[lane]) +
                  ", in which it is not itself: include it, or keep it out",
              did, static_cast<int>(lane));
  }
  if (!warp.gather(active, all))
    return false;
  if (all == common)
    return true;
  forEachLane(active, [&](unsigned lane) {
    forEachLane(masks[lane] & active, [&](unsigned other) {
      if (masks[other] != masks[lane])
        warp.stop(Finding::divergent,
                  "lanes " + std::to_string(lane) + " and " +
                      std::to_string(other) + " give different membermasks, " +
                      hexadecimal(masks[lane]) + " and " +
                      hexadecimal(masks[other]) +
                      ": all lanes of a mask must give the same one",
                  did, static_cast<int>(lane));
    });
  });
  return true;
}

} // namespace ashlar::sim
