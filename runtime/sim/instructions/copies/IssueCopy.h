// How bulk and tensor copies are handed to the copy engine, with the checks
// that the hardware makes when they are issued.
#pragma once

#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/copies/CopyIssue.h"
#include "runtime/sim/machine/copies/CopyReduction.h"
#include "runtime/sim/machine/copies/TensorBox.h"

#include <bit>
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

/// From the lane's own CTA's shared memory, completing with the bulk group of
/// each of `lanes`, which ask for the same copy: it is made once.
void issueGroupCopy(Warp &warp, LaneMask lanes, const CopyRequest &request);

/// Of the lanes, those that ask for the same copy to global memory as the
/// first. ptxas makes one copy of theirs, but one for each lane of a copy to
/// shared memory, whose bytes are counted, and of a reduction.
template <class IsSame>
LaneMask sharersOf(LaneMask lanes, const IsSame &isSame) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  LaneMask sharers = 0;
  forEachLane(lanes, [&](unsigned lane) {
    if (isSame(first, lane))
      sharers |= LaneMask(1) << lane;
  });
  return sharers;
}

} // namespace ashlar::sim
