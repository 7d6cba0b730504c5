// The mbarrier family's parts.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

/// `.release.cta` and the like. The scope decides nothing here: a barrier is
/// reached from within the cluster only, and hardware carries out its
/// operations for all of the cluster.
struct MbarrierOrder {
  bool isGiven = false;
  bool relaxed = false;
  bool clusterScope = false;
};

/// Takes the order (`strong` is "release" or "acquire") and its scope; both or
/// neither are given.
MbarrierOrder takeMbarrierOrder(Decoder &decoder, const char *strong);

Decoded decodeMbarrierArrive(Decoder &decoder, bool drop);
Decoded decodeMbarrierWait(Decoder &decoder, bool mayBlock);

} // namespace ashlar::sim
