// One instruction's accesses to memory by the lanes of a warp, each checked and
// remembered.
#pragma once

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Warp.h"

#include <bit>
#include <mutex>

namespace ashlar::sim {

class WarpAccess {
public:
  WarpAccess(Warp &warp, LaneMask active, ptx::StateSpace space,
             const LaneAddresses &addresses, unsigned sizeBytes,
             AccessKind kind, Scope scope);
  WarpAccess(const WarpAccess &) = delete;

  /// What a store writes: each lane's bytes, so far apart.
  void setStored(const uint8_t *values, unsigned strideBytes);

  /// The lane's bytes, after all checks but those of `track`.
  uint8_t *data(unsigned lane) { return blockOf(lane)->data() + offsets[lane]; }
  uint64_t offset(unsigned lane) const { return offsets[lane]; }
  bool isSamePlace(unsigned lane, unsigned other) const {
    return blockOf(lane) == blockOf(other) && offsets[lane] == offsets[other];
  }
  /// That the first of the lanes accesses.
  const MemoryBlock &firstBlock(LaneMask lanes) const {
    return *blockOf(static_cast<unsigned>(std::countr_zero(lanes)));
  }
  bool isBroadcast(LaneMask lanes) const;
  /// Whether the lanes access neighbouring elements in their order.
  bool isInLine(LaneMask lanes) const;

  /// Checks initialisation and races of an access by `lanes`, the first of
  /// which tells the place.
  void track(LaneMask lanes);
  /// The same of lanes that are in line.
  void trackInLine(LaneMask lanes);
  /// Two lanes write different values to one place at once.
  void reportBoth(unsigned first, unsigned second);

private:
  /// Where lane 0 would access its element if all were in line.
  uint64_t lineBegin(unsigned lane) const {
    return offsets[lane] - uint64_t(lane) * sizeBytes;
  }
  MemoryBlock *blockOf(unsigned lane) const {
    return common ? common : blocks[lane];
  }
  bool locateNear(unsigned first, LaneMask active,
                  const LaneAddresses &addresses);
  bool isInReadOnlyBlock(LaneMask active, const LaneAddresses &addresses) const;
  Location locate(unsigned lane, ptx::StateSpace space, uint64_t address);
  [[noreturn]] void outOfBounds(unsigned lane, ptx::StateSpace space,
                                uint64_t address, const Location &place);
  void checkElements(unsigned lane, const Location &place);
  void checkShared(unsigned lane, uint64_t begin, uint64_t end);
  void checkInitialised(unsigned lane);

  Warp &warp;
  const unsigned sizeBytes;
  const uint64_t alignmentMask;
  const AccessKind kind;
  const Scope scope;
  std::unique_lock<std::recursive_mutex> guard;
  // Where each lane accesses memory. Not initialised: there is one of these for
  // each access.
  MemoryBlock *common = nullptr; // where all lanes do; null: see `blocks`
  std::array<MemoryBlock *, warpLanes> blocks;
  std::array<uint64_t, warpLanes> offsets;
  MemoryBlock *lastGlobal = nullptr; // most lanes are in the same allocation
  TensorBounds::Run elements;        // of lastGlobal, around what lanes access
  // Of the access that is tracked.
  MemoryBlock *block = nullptr;
  Accessor accessor;
  MemoryBlock::OnConflict onConflict;
  const uint8_t *stored = nullptr; // see setStored
  unsigned storedStride = 0;
  std::function<bool(unsigned, uint64_t, uint64_t)> changesNothing;
};

} // namespace ashlar::sim
