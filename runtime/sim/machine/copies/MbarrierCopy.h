// Copies into shared memory that complete on an mbarrier beside their
// destination: TMA loads, bulk copies from global memory, bulk copies and
// reductions from one CTA's shared memory to another's.
#pragma once

#include "runtime/sim/machine/copies/CopyReduction.h"
#include "runtime/sim/machine/copies/CopyTile.h"

#include <optional>

namespace ashlar::sim {

/// A multicast is one of these for each destination: they land apart from each
/// other, as the CTAs' mbarriers tell apart.
///
/// Its accesses belong to the mbarrier's copies, in the phase that is current
/// when they are made: that one can't end before them if their bytes were
/// expected.
class MbarrierCopy : public AsynchronousOperation {
public:
  /// `source` is where row address `sourceAddress` leads. `mbarrier` is a
  /// shared::cluster address.
  MbarrierCopy(CopyIssue issue, Location source, uint64_t sourceAddress,
               CopyTile destination, uint32_t mbarrier,
               std::optional<CopyReduction> reduction = std::nullopt);

  bool proceed(Cluster &cluster, std::mt19937_64 &random) override;
  std::string describe() const override { return issue.describe(); }

private:
  void move(CopyTile::Block block, const Accessor &accessor);
  void readRow(const CopyRow &row, const Accessor &accessor, uint8_t *out);

  const CopyIssue issue;
  const Location source;
  const uint64_t sourceAddress;
  const CopyTile tile;
  const uint32_t mbarrier;
  const std::optional<CopyReduction> reduction;
  const std::string reads, writes;
  std::vector<CopyTile::Block> blocks; // not yet moved
};

} // namespace ashlar::sim
