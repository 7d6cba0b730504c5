// Loads, stores and atomic changes by the lanes of a warp.
#include "runtime/sim/machine/Traffic.h"
#include "runtime/sim/machine/memory/AddressOperand.h"
#include "runtime/sim/machine/memory/WarpAccess.h"
#include "runtime/sim/machine/races/Ordering.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;

/// Copies `sizeBytes`, mostly a small power of two.
inline void copy(void *to, const void *from, unsigned sizeBytes) {
  switch (sizeBytes) {
  case 1:
    std::memcpy(to, from, 1);
    break;
  case 2:
    std::memcpy(to, from, 2);
    break;
  case 4:
    std::memcpy(to, from, 4);
    break;
  case 8:
    std::memcpy(to, from, 8);
    break;
  case 16:
    std::memcpy(to, from, 16);
    break;
  default:
    std::memcpy(to, from, sizeBytes);
  }
}

inline bool differ(const void *a, const void *b, unsigned sizeBytes) {
  auto words = [&]<class Word>() {
    Word first, second;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    return first != second;
  };
  switch (sizeBytes) {
  case 2:
    return words.operator()<uint16_t>();
  case 4:
    return words.operator()<uint32_t>();
  case 8:
    return words.operator()<uint64_t>();
  default:
    return std::memcmp(a, b, sizeBytes) != 0;
  }
}

/// Calls `body` for each place that lanes access, with these lanes.
template <class Body>
void forEachPlace(const WarpAccess &access, LaneMask active, Body body) {
  constexpr unsigned slots = 64;
  std::array<LaneMask, slots> lanesAt{};
  forEachLane(active, [&](unsigned lane) {
    auto at = static_cast<unsigned>(
        (access.offset(lane) * 0x9e3779b97f4a7c15u) >> 58);
    auto isTaken = [&](LaneMask lanes) {
      return lanes && !access.isSamePlace(
                          static_cast<unsigned>(std::countr_zero(lanes)), lane);
    };
    while (isTaken(lanesAt[at]))
      at = (at + 1) % slots;
    lanesAt[at] |= LaneMask(1) << lane;
  });
  for (LaneMask lanes : lanesAt)
    if (lanes)
      body(lanes);
}

/// Adds to what the cluster moves, if anybody asks.
void count(Warp &warp, const MemoryBlock &block, bool writes, LaneMask lanes,
           const LaneAddresses &addresses, unsigned sizeBytes) {
  Traffic *traffic = warp.cluster.traffic.get();
  if (!traffic)
    return;
  if (block.kind == MemoryBlock::Kind::global)
    traffic->access(Traffic::Space::global, writes, lanes, addresses,
                    sizeBytes);
  if (block.kind == MemoryBlock::Kind::shared)
    traffic->access(Traffic::Space::shared, writes, lanes, addresses,
                    sizeBytes);
}

} // namespace

bool Warp::findUnchecked(LaneMask active, StateSpace space,
                         const LaneAddresses &addresses, unsigned sizeBytes,
                         bool writes, UncheckedPlaces &places) {
  if (!std::has_single_bit(sizeBytes))
    return false;
  uint64_t misaligned = 0;
  bool inside = true;
  if (space == StateSpace::local) {
    forEachLane(active, [&](unsigned lane) {
      const uint64_t at = addresses[lane];
      MemoryBlock &own = cta.localOf(index * warpLanes + lane);
      misaligned |= at & (sizeBytes - 1);
      inside &= own.contains(at, sizeBytes) && at + sizeBytes <= localTop[lane];
      places[lane] = own.data() + at;
    });
    return inside && !misaligned;
  }
  MemoryBlock *block = readOnlyBlock;
  if (writes || !block || !block->isReadOnly() ||
      block->sizeBytes < sizeBytes ||
      (space != StateSpace::global && space != StateSpace::generic &&
       space != StateSpace::constant))
    return false;
  const uint64_t most = block->sizeBytes - sizeBytes;
  forEachLane(active, [&](unsigned lane) {
    const uint64_t offset = addresses[lane] - block->address;
    misaligned |= addresses[lane] & (sizeBytes - 1);
    inside &= offset <= most;
    places[lane] = block->data() + offset;
  });
  return inside && !misaligned;
}

LaneAddresses Warp::addresses(LaneMask active, const AddressOperand &operand) {
  LaneAddresses result; // all of it is set below
  const auto offset = static_cast<uint64_t>(operand.offset);
  if (!operand.base) {
    result.fill(offset);
  } else if (operand.base->laneBytes == 4) {
    const uint32_t *base = lanes<uint32_t>(*operand.base);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      result[lane] = static_cast<uint32_t>(base[lane] + offset);
  } else {
    const uint64_t *base = lanes<uint64_t>(*operand.base);
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      result[lane] = base[lane] + offset;
  }
  return result;
}

void Warp::notePoll(LaneMask lanes, StateSpace space,
                    const LaneAddresses &addresses, unsigned sizeBytes) {
  constexpr size_t most = 64;
  if (polls->size() < most)
    polls->push_back({current, lanes, space, addresses, sizeBytes});
}

void Warp::load(LaneMask active, StateSpace space,
                const LaneAddresses &addresses, unsigned sizeBytes, void *out,
                unsigned strideBytes, Scope scope) {
  if (polls)
    notePoll(active, space, addresses, sizeBytes);
  if (UncheckedPlaces places; findUnchecked(active, space, addresses, sizeBytes,
                                            /*writes=*/false, places)) {
    auto *bytes = static_cast<uint8_t *>(out);
    forEachLane(active, [&](unsigned lane) {
      copy(bytes + size_t(lane) * strideBytes, places[lane], sizeBytes);
    });
    if (space != StateSpace::local)
      count(*this, *readOnlyBlock, /*writes=*/false, active, addresses,
            sizeBytes);
    return;
  }
  WarpAccess access(*this, active, space, addresses, sizeBytes,
                    AccessKind::read, scope);
  count(*this, access.firstBlock(active), /*writes=*/false, active, addresses,
        sizeBytes);
  if (access.isBroadcast(active)) {
    ordering->forKnowingSame(active,
                             [&](LaneMask lanes) { access.track(lanes); });
  } else if (access.isInLine(active)) {
    ordering->forKnowingSame(
        active, [&](LaneMask lanes) { access.trackInLine(lanes); });
    if (active == allLanes && strideBytes == sizeBytes) {
      std::memcpy(out, access.data(0), size_t(sizeBytes) * warpLanes);
      return;
    }
  } else {
    forEachPlace(access, active, [&](LaneMask lanes) {
      ordering->forKnowingSame(lanes,
                               [&](LaneMask same) { access.track(same); });
    });
  }
  auto *bytes = static_cast<uint8_t *>(out);
  forEachLane(active, [&](unsigned lane) {
    copy(bytes + size_t(lane) * strideBytes, access.data(lane), sizeBytes);
  });
}

void Warp::store(LaneMask active, StateSpace space,
                 const LaneAddresses &addresses, unsigned sizeBytes,
                 const void *values, unsigned strideBytes, Scope scope) {
  const auto *bytes = static_cast<const uint8_t *>(values);
  auto valueOf = [&](unsigned lane) {
    return bytes + size_t(lane) * strideBytes;
  };
  if (UncheckedPlaces places; findUnchecked(active, space, addresses, sizeBytes,
                                            /*writes=*/true, places)) {
    forEachLane(active, [&](unsigned lane) {
      copy(places[lane], valueOf(lane), sizeBytes);
    });
    return;
  }
  WarpAccess access(*this, active, space, addresses, sizeBytes,
                    AccessKind::write, scope);
  count(*this, access.firstBlock(active), /*writes=*/true, active, addresses,
        sizeBytes);
  access.setStored(bytes, strideBytes);
  const bool isInLine = access.isInLine(active);
  if (isInLine)
    ordering->forKnowingSame(
        active, [&](LaneMask lanes) { access.trackInLine(lanes); });
  else
    forEachPlace(access, active, [&](LaneMask lanes) {
      // Lanes that write the same place at once: one of them wins, which
      // doesn't matter as long as they write the same.
      const auto first = static_cast<unsigned>(std::countr_zero(lanes));
      LaneMask same = 0;
      forEachLane(lanes, [&](unsigned lane) {
        if (std::memcmp(valueOf(lane), valueOf(first), sizeBytes) == 0)
          same |= LaneMask(1) << lane;
        else if (scope == Scope::weak)
          access.reportBoth(first, lane);
      });
      access.track(same & ordering->groupOf(first).lanes);
    });
  bool changed = false;
  if (isInLine && active == allLanes && strideBytes == sizeBytes) {
    const size_t size = size_t(sizeBytes) * warpLanes;
    changed = std::memcmp(access.data(0), bytes, size) != 0;
    std::memcpy(access.data(0), bytes, size);
  } else {
    forEachLane(active, [&](unsigned lane) {
      uint8_t *place = access.data(lane);
      changed |= differ(place, valueOf(lane), sizeBytes);
      copy(place, valueOf(lane), sizeBytes);
    });
  }
  if (changed && space != StateSpace::local)
    cluster.noteProgress();
}

void Warp::modify(unsigned lane, StateSpace space, uint64_t address,
                  unsigned sizeBytes, Scope scope,
                  const std::function<void(uint8_t *)> &change) {
  LaneAddresses addresses{};
  addresses[lane] = address;
  if (polls)
    notePoll(LaneMask(1) << lane, space, addresses, sizeBytes);
  WarpAccess access(*this, LaneMask(1) << lane, space, addresses, sizeBytes,
                    AccessKind::readWrite, scope);
  if (cluster.traffic)
    ++cluster.traffic->atomics;
  access.track(LaneMask(1) << lane);
  std::array<uint8_t, 64> before{};
  uint8_t *place = access.data(lane);
  std::memcpy(before.data(), place, std::min<size_t>(sizeBytes, 64));
  change(place);
  if (std::memcmp(before.data(), place, std::min<size_t>(sizeBytes, 64)) != 0)
    cluster.noteProgress();
}

} // namespace ashlar::sim
