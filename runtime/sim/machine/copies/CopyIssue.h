// The thread that issued a copy, and what it knew then.
#pragma once

#include "runtime/sim/machine/Cluster.h"

#include <memory>
#include <string>

namespace ashlar::sim {

/// Kept by an asynchronous copy, for its accesses and for reports.
struct CopyIssue {
  /// By the lane, which executes the current instruction. `what` names the
  /// copy: "TMA load of 128x64 bf16 tile at (0, 64)".
  CopyIssue(Warp &warp, unsigned lane, std::string what);

  Cta &cta;
  const std::string what;

  /// Its accesses as those of an agent, through the asynchronous proxy.
  Accessor as(AgentId agent, Epoch epoch) const;

  /// Where an address leads for the thread.
  Location locate(ptx::StateSpace space, uint64_t address) const;

  /// "the TMA load of ... reads".
  std::string doing(const char *verb) const {
    return "the " + what + " " + verb;
  }

  /// "TMA load of ..., issued by warp 8 of CTA (0,0,0)".
  std::string describe() const;
  /// Where it was issued.
  Site site() const;

  /// True, with a finding, when the CTA has exited while the copy would still
  /// access its shared memory.
  bool isGone(const Cta &accessed) const;

  /// To be called once when the copy has landed.
  void landed() const;

private:
  Accessor issuer;
  std::shared_ptr<const Causality> known;
  uint64_t traced = 0;
};

} // namespace ashlar::sim
