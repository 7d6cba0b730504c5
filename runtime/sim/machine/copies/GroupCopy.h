// Copies and reductions from shared to global memory, which complete with a
// thread's bulk group.
#pragma once

#include "runtime/sim/machine/copies/CopyReduction.h"
#include "runtime/sim/machine/copies/CopyTile.h"

#include <optional>

namespace ashlar::sim {

/// Its reads and its writes belong to two agents, as wait_group.read waits for
/// the reads only.
class GroupCopy : public AsynchronousOperation {
public:
  struct Agents {
    AgentId reads, writes;
    Epoch epoch = 0; // of the group
  };
  /// `target` is where row address `targetAddress` leads.
  GroupCopy(CopyIssue issue, CopyTile source, Location target,
            uint64_t targetAddress, Agents agents,
            std::optional<CopyReduction> reduction = std::nullopt);

  bool proceed(Cluster &cluster, std::mt19937_64 &random) override;
  std::string describe() const override { return issue.describe(); }
  Site issuedAt() const { return issue.site(); }

  /// Reads all that has not been read yet.
  void finishReads(std::mt19937_64 &random);

  /// Whether one of the lanes that have issued it together has committed it,
  /// and has waited for its reads.
  bool isCommitted = false, isAwaited = false;

private:
  void read(CopyTile::Block block);
  void write(CopyTile::Block block);

  const CopyIssue issue;
  const CopyTile tile;
  const Location target;
  const uint64_t targetAddress;
  const Agents agents;
  const std::optional<CopyReduction> reduction;
  const std::string readsIt, writesIt;
  std::vector<uint8_t> bytes;
  std::vector<CopyTile::Block> unread, unwritten;
};

} // namespace ashlar::sim
