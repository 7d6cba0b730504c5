// Releases that would have to wait for the youngest group of wgmma.
#ifndef ASHLAR_PASSES_INFLIGHT_DEFERREDRELEASES_H
#define ASHLAR_PASSES_INFLIGHT_DEFERREDRELEASES_H

#include "compiler/hopper/Hopper.h"

namespace ashlar {

/// Moves each `hopper.release` of a stage that the youngest group reads to
/// where it need not wait for that group alone: behind the next group, or where
/// something else waits. Over the end of an iteration, the loop carries the
/// stage, and what is left is released behind the loop.
///
/// It passes a wait on a barrier only where the role may hold, with those that
/// were taken after it, the stage there.
void deferReleases(hopper::KernelOp kernel);

} // namespace ashlar

#endif
