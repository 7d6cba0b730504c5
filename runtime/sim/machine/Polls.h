// A loop that looks at memory again and again until it changes.
#pragma once

#include "runtime/sim/machine/Report.h"
#include "runtime/sim/machine/Warp.h"

#include <string>
#include <vector>

namespace ashlar::sim {

/// "repeats a loop until Done[3] of 4 bytes, which is 0, is at least 1".
std::string describePolls(Warp &warp, const std::vector<Poll> &polls);
/// Why it may never change, and on whom that hangs.
Wait::Cause causeOfPolls(Warp &warp, const std::vector<Poll> &polls);
/// Whether lanes at this place could still come to a signal. Calls may lead to
/// any.
bool canSignal(const Strand &strand);
/// The instructions that could change it, with what they have done.
std::vector<Site> signallersOf(Warp &warp, const std::vector<Poll> &polls);

} // namespace ashlar::sim
