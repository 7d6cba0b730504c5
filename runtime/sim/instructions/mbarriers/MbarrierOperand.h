// The address operand of the mbarrier instructions.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"

namespace ashlar::sim {

/// `[addr]` of an mbarrier: in the CTA's own shared memory, or anywhere in the
/// cluster where the instruction allows it.
struct MbarrierOperand {
  AddressOperand address;
  bool isGeneric = false;
  bool mayBeRemote = false; // .shared::cluster, or generic where allowed
};

/// Takes `.shared`, `.shared::cta` or, where allowed, `.shared::cluster`, or
/// nothing (generic); then the type `.b64`, and reads the operand.
MbarrierOperand mbarrierOperand(Decoder &decoder, const ptx::Operand &operand,
                                bool takesCluster);

/// The barriers' shared::cluster addresses, lane by lane. An address that is
/// not in shared memory, or of another CTA where that is not allowed, ends the
/// launch.
std::array<uint32_t, warpLanes> sharedAddresses(Warp &warp, LaneMask active,
                                                const MbarrierOperand &operand,
                                                const char *did);

/// The lanes of `active` that have the same value as the lowest of them.
inline LaneMask sameAsFirst(LaneMask active,
                            const std::array<uint32_t, warpLanes> &values) {
  const uint32_t first =
      values[static_cast<unsigned>(std::countr_zero(active))];
  LaneMask same = 0;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    same |= static_cast<LaneMask>(values[lane] == first) << lane;
  return same & active;
}

} // namespace ashlar::sim
