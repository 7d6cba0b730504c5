// Executes the strands of a warp.
#pragma once

#include "runtime/sim/machine/Warp.h"

namespace ashlar::sim {

class WarpRunner {
public:
  explicit WarpRunner(Warp &warp) : warp(warp) {}

  /// Whether a strand can go on: it does not wait, or what it waits for may
  /// have happened, and it does not merely look again and again at something
  /// that has not changed.
  bool canRun() const;
  /// Executes up to `quantum` instructions, fewer when all strands must wait,
  /// and, with `stopsAtSynchronisation`, up to the next instruction that
  /// synchronises.
  void run(uint32_t quantum, bool stopsAtSynchronisation);
  /// Lets waits that may time out do so; false when there is none.
  bool expire();

private:
  bool ready(const Strand &strand) const;
  Strand *choose();
  void step(Strand &strand);
  void settle(Strand &strand, Step step, LaneMask active);
  void merge(Strand &strand);
  void checkOwned(const Instruction &instruction);
  void noteJumpBack(Strand &strand);
  uint32_t nextMeeting(const Strand &strand) const;
  Warp &warp;
  uint32_t meeting = 0; // before it no other lanes are met by going straight on
  bool goesStraight = false; // the last step did, and met nobody
};

} // namespace ashlar::sim
