#include "runtime/sim/instructions/mbarriers/MbarrierOperand.h"

#include "runtime/sim/machine/Cluster.h"

namespace ashlar::sim {

MbarrierOperand mbarrierOperand(Decoder &decoder, const ptx::Operand &operand,
                                bool takesCluster) {
  MbarrierOperand result;
  const int space =
      decoder.modifiers.takeOneOf({"shared", "shared::cta", "shared::cluster"});
  if (space == 2 && !takesCluster)
    decoder.refuse("it takes barriers of the CTA's own shared memory only: "
                   "use .shared::cta");
  if (!decoder.modifiers.take("b64"))
    decoder.refuse("the type .b64 is missing behind its other modifiers");
  result.address = decoder.address(operand);
  if (result.address.namesKernelParameter ||
      (result.address.symbolSpace != ptx::StateSpace::generic &&
       result.address.symbolSpace != ptx::StateSpace::shared))
    decoder.refuse("an mbarrier lies in shared memory; the operand names a "
                   "variable of another space");
  // A shared variable named without a space is an address in shared memory.
  result.isGeneric =
      space < 0 && result.address.symbolSpace == ptx::StateSpace::generic;
  result.mayBeRemote = space == 2 || (result.isGeneric && takesCluster);
  return result;
}

std::array<uint32_t, warpLanes> sharedAddresses(Warp &warp, LaneMask active,
                                                const MbarrierOperand &operand,
                                                const char *did) {
  const LaneAddresses addresses = warp.addresses(active, operand.address);
  std::array<uint32_t, warpLanes> result{};
  const uint64_t base = operand.isGeneric ? sharedWindow : 0;
  const uint32_t rank = warp.cta.rank;
  uint64_t outside = 0;
  bool remote = false;
  forEachLane(active, [&](unsigned lane) {
    const uint64_t address = addresses[lane] - base;
    outside |= address & ~(windowBytes - 1);
    result[lane] = static_cast<uint32_t>(address);
    remote |= result[lane] >> sharedRankShift != rank;
  });
  if (outside)
    warp.stop(Finding::mbarrierMisuse,
              operand.isGeneric
                  ? "the generic address is not one of shared memory, where "
                    "mbarriers lie"
                  : "the address is beyond the shared memory of the cluster",
              did);
  if (remote && !operand.mayBeRemote)
    warp.stop(Finding::mbarrierMisuse,
              "the address is in the shared memory of another CTA; this "
              "instruction works on barriers of its own CTA only",
              did);
  return result;
}

} // namespace ashlar::sim
