// How bulk and tensor copies are handed to the copy engine, with the checks
// that the hardware makes when they are issued.
#pragma once

#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/copies/CopyIssue.h"
#include "runtime/sim/machine/copies/CopyReduction.h"
#include "runtime/sim/machine/copies/TensorBox.h"

#include <optional>
#include <string>
#include <vector>

namespace ashlar::sim {

/// A copy by one lane. Rows hold addresses of `space`.
struct CopyRequest {
  std::string what; // "TMA load of 128x64 bf16 tile at (0, 64)"
  std::vector<CopyRow> rows;
  TileLayout layout;
  /// The other side than the tile: global memory, or the lane's own CTA's
  /// shared memory.
  ptx::StateSpace space = ptx::StateSpace::global;
  uint32_t tile = 0; // shared::cluster address of the tile
  std::optional<CopyReduction> reduction;
};

/// Rows of `sizeBytes` bytes from the address on, and their layout.
void setBulkRows(CopyRequest &request, uint64_t address, uint64_t sizeBytes);

/// Into shared memory, completing on an mbarrier. `mask`: to these CTAs of the
/// cluster instead of the tile's own.
void issueMbarrierCopy(Warp &warp, unsigned lane, const CopyRequest &request,
                       uint32_t mbarrier,
                       std::optional<uint16_t> mask = std::nullopt);

/// From the lane's own CTA's shared memory, completing with a bulk group.
void issueGroupCopy(Warp &warp, unsigned lane, const CopyRequest &request);

} // namespace ashlar::sim
