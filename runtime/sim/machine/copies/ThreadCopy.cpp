#include "runtime/sim/machine/copies/ThreadCopy.h"

#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Trace.h"
#include "runtime/sim/machine/Traffic.h"

namespace ashlar::sim {

// What one lane did before is taken to be known to the copies of the others:
// a race among the lanes of the warp may be missed, none is invented.
ThreadCopy::ThreadCopy(Warp &warp, LaneMask active, uint32_t copyBytes,
                       AgentId agent,
                       const std::array<Lane, warpLanes> &addresses)
    : cta(warp.cta), copyBytes(copyBytes), issuer(warp.accessor(0)),
      known(warp.cluster.index), pending(active), lanes(addresses) {
  warp.release(active, known);
  if (Traffic *traffic = cta.cluster.traffic.get())
    traffic->copiedIn += uint64_t(std::popcount(active)) * copyBytes;
  issuer.agent = agent;
  issuer.inProgramOrder = false;
  issuer.causality = &known;
  if (Trace *trace = cta.cluster.launch.options.trace.get())
    traced = trace->beginOperation(warp, Trace::Engine::copies, "cp.async");
}

std::string ThreadCopy::describe() const {
  return "cp.async of " + std::to_string(copyBytes) + " bytes a thread by " +
         cta.cluster.who(issuer.cta, issuer.warp, -1);
}

void ThreadCopy::copy(Cluster &cluster, unsigned lane) {
  const Lane &each = lanes[lane];
  Accessor accessor = issuer;
  accessor.lane = static_cast<uint8_t>(lane);
  accessor.epoch = each.epoch;
  const uint32_t thread = issuer.warp * warpLanes + lane;
  uint8_t bytes[16] = {};
  if (each.sourceBytes)
    cluster.read(
        cluster.locate(cta, thread, ptx::StateSpace::global, each.from),
        each.sourceBytes, accessor, bytes, "cp.async reads");
  cluster.write(cluster.locate(cta, thread, ptx::StateSpace::shared, each.to),
                copyBytes, accessor, bytes, "cp.async writes");
}

bool ThreadCopy::proceed(Cluster &cluster, std::mt19937_64 &random) {
  const auto some = static_cast<LaneMask>(random());
  const LaneMask now = pending & some ? pending & some : pending;
  if (!cta.exited())
    forEachLane(now, [&](unsigned lane) { copy(cluster, lane); });
  pending &= ~now;
  if (pending)
    return false;
  cluster.noteProgress();
  if (Trace *trace = cluster.launch.options.trace.get())
    trace->endOperation(traced, cluster);
  return true;
}

} // namespace ashlar::sim
