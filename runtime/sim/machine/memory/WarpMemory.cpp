// Loads, stores and atomic changes by the lanes of a warp.
#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"
#include "runtime/sim/machine/races/Ordering.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;

const char *verb(AccessKind kind) {
  switch (kind) {
  case AccessKind::read:
    return "loads";
  case AccessKind::write:
    return "stores";
  case AccessKind::readWrite:
    break;
  }
  return "changes it atomically";
}

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

/// One instruction's accesses, each checked and remembered.
class Access {
public:
  Access(Warp &warp, LaneMask active, StateSpace space,
         const LaneAddresses &addresses, unsigned sizeBytes, AccessKind kind,
         Scope scope)
      : warp(warp), sizeBytes(sizeBytes),
        alignmentMask(std::has_single_bit(sizeBytes) ? sizeBytes - 1 : 0),
        kind(kind), scope(scope),
        onConflict([this](const MemoryBlock::Conflict &conflict) {
          accessor.lane = conflict.lane;
          this->warp.cluster.reportConflict(*block, conflict, accessor,
                                            this->kind);
        }) {
    // Global memory keeps its lock until all lanes are done.
    bool mayBeGlobal = false;
    if (space == StateSpace::generic)
      forEachLane(active, [&](unsigned lane) {
        mayBeGlobal |= addresses[lane] < sharedWindow ||
                       addresses[lane] >= parameterWindow + windowBytes;
      });
    if (mayBeGlobal || space == StateSpace::global ||
        space == StateSpace::constant)
      guard = std::unique_lock(warp.cluster.launch.memory.lock);
    forEachLane(active, [&](unsigned lane) {
      const Location place = locate(lane, space, addresses[lane]);
      places[lane] = {place.block, place.offset};
    });
  }

  /// The lane's bytes, after all checks but those of `track`.
  uint8_t *data(unsigned lane) {
    return places[lane].block->data() + places[lane].offset;
  }

  /// Whether the lanes access neighbouring elements in their order.
  bool isInLine(LaneMask lanes) const {
    if (!std::has_single_bit(sizeBytes) || sizeBytes > 16)
      return false;
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const uint64_t base = lineBegin(first);
    bool result = true;
    forEachLane(lanes, [&](unsigned lane) {
      result &=
          places[lane].block == places[first].block && lineBegin(lane) == base;
    });
    return result;
  }

  /// Checks initialisation and races of lanes that are in line.
  void trackInLine(LaneMask lanes) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    block = places[first].block;
    if (block->kind == MemoryBlock::Kind::local ||
        block->kind == MemoryBlock::Kind::parameter)
      return;
    const unsigned last = warpLanes - 1 - std::countl_zero(lanes);
    const uint64_t begin = places[first].offset,
                   end = places[last].offset + sizeBytes;
    if (block->kind == MemoryBlock::Kind::shared) {
      if (const LaneMask run = lanes >> first; (run & (run + 1)) == 0)
        checkShared(first, begin, end);
      else
        forEachLane(lanes, [&](unsigned lane) {
          checkShared(lane, places[lane].offset,
                      places[lane].offset + sizeBytes);
        });
    }
    if (kind != AccessKind::write &&
        block->firstUninitialised(begin, end - begin) != end)
      forEachLane(lanes, [&](unsigned lane) { checkInitialised(lane); });
    accessor = warp.accessor(first, scope);
    block->trackInLine(kind, lineBegin(first), sizeBytes, lanes, accessor,
                       onConflict);
  }

  /// Two lanes write different values to one place at once.
  void reportBoth(unsigned first, unsigned second) {
    const Place &place = places[first];
    if (place.block->kind == MemoryBlock::Kind::local)
      return;
    MemoryBlock::Conflict conflict;
    conflict.earlier.cta = warp.cta.linear;
    conflict.earlier.warp = warp.index;
    conflict.earlier.lane = static_cast<uint8_t>(first);
    conflict.earlier.isWrite = true;
    conflict.earlier.instruction = warp.current;
    conflict.offset = place.offset;
    warp.cluster.reportConflict(*place.block, conflict,
                                warp.accessor(second, scope), kind);
  }

  /// Checks initialisation and races of an access by `lanes`, the first of
  /// which tells the place.
  void track(LaneMask lanes) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    block = places[lane].block;
    const uint64_t offset = places[lane].offset;
    if (block->kind == MemoryBlock::Kind::local ||
        block->kind == MemoryBlock::Kind::parameter)
      return;
    if (block->kind == MemoryBlock::Kind::shared)
      checkShared(lane, offset, offset + sizeBytes);
    if (kind != AccessKind::write)
      checkInitialised(lane);
    accessor = warp.accessor(lane, scope);
    block->track(kind, offset, sizeBytes, lanes, accessor, onConflict);
  }

private:
  /// Where lane 0 would access its element if all were in line.
  uint64_t lineBegin(unsigned lane) const {
    return places[lane].offset - uint64_t(lane) * sizeBytes;
  }

  Location locate(unsigned lane, StateSpace space, uint64_t address) {
    if (address & alignmentMask)
      warp.stop(Finding::misaligned,
                "an access of " + std::to_string(sizeBytes) +
                    " bytes is at the address " + hexadecimal(address) +
                    ", which is not a multiple of " + std::to_string(sizeBytes),
                verb(kind), static_cast<int>(lane));
    Location place;
    const uint64_t ownShared = uint64_t(warp.cta.rank) << sharedRankShift;
    if (space == StateSpace::shared &&
        address - ownShared < uint64_t(1) << sharedRankShift)
      place = {warp.cta.shared.get(), address - ownShared};
    else if (lastGlobal && space != StateSpace::shared &&
             space != StateSpace::local && space != StateSpace::parameter &&
             address - lastGlobal->address < lastGlobal->sizeBytes)
      place = {lastGlobal, address - lastGlobal->address};
    else
      place = warp.cluster.locate(warp.cta, warp.index * warpLanes + lane,
                                  space, address);
    if (place.block && place.block->kind == MemoryBlock::Kind::global)
      lastGlobal = place.block;
    bool isInside = isWithin(place, sizeBytes);
    if (isInside && place.block->kind == MemoryBlock::Kind::local)
      isInside = place.offset + sizeBytes <= warp.localTop[lane];
    if (!isInside)
      outOfBounds(lane, space, address, place);
    if (kind != AccessKind::read &&
        place.block->kind == MemoryBlock::Kind::parameter)
      warp.stop(Finding::outOfBounds,
                "the parameters of a kernel can only be read", verb(kind),
                static_cast<int>(lane));
    return place;
  }

  [[noreturn]] void outOfBounds(unsigned lane, StateSpace space,
                                uint64_t address, const Location &place) {
    std::string sentence;
    if (!place.block && (space == StateSpace::shared ||
                         (address & ~(windowBytes - 1)) == sharedWindow))
      sentence = "the shared address " + hexadecimal(address) +
                 " names no CTA of the cluster, which has " +
                 std::to_string(warp.cluster.ctas.size());
    else if (place.block && place.block->kind == MemoryBlock::Kind::local)
      sentence = std::to_string(sizeBytes) + " bytes at byte " +
                 std::to_string(place.offset) +
                 " of the thread's local memory, of which its variables take "
                 "the first " +
                 std::to_string(warp.localTop[lane]) + " bytes";
    else
      sentence = outOfBoundsSentence(warp.cluster, place, sizeBytes);
    warp.stop(Finding::outOfBounds, sentence, verb(kind),
              static_cast<int>(lane));
  }

  void checkShared(unsigned lane, uint64_t begin, uint64_t end) {
    Cta *owner = &warp.cta;
    if (block != owner->shared.get())
      owner = ctaOf(warp.cluster, *block);
    if (owner != &warp.cta && owner->exited() &&
        warp.cluster.launch.reporter.isNew(Finding::exitedPeer, warp.current))
      warp.report(Finding::exitedPeer,
                  "the shared memory of " + owner->name() +
                      " is accessed after all its threads have exited: keep "
                      "the CTA alive with a cluster barrier at its end",
                  verb(kind), static_cast<int>(lane));
    const Mbarriers &barriers = owner->mbarriers;
    if (barriers.empty() || end <= barriers.begin()->first ||
        begin >= barriers.rbegin()->first + Mbarrier::sizeBytes)
      return;
    auto behind = barriers.lower_bound(static_cast<uint32_t>(end));
    if (behind == barriers.begin())
      return;
    const uint32_t barrier = std::prev(behind)->first;
    if (begin < barrier + Mbarrier::sizeBytes &&
        warp.cluster.launch.reporter.isNew(Finding::mbarrierMisuse,
                                           warp.current))
      warp.report(Finding::mbarrierMisuse,
                  "the mbarrier at " +
                      warp.cluster.describeShared(
                          owner->rank << sharedRankShift | barrier) +
                      " is accessed as ordinary memory while it is "
                      "initialised: only mbarrier instructions may, until "
                      "mbarrier.inval",
                  verb(kind), static_cast<int>(lane));
  }

  void checkInitialised(unsigned lane) {
    const uint64_t begin = places[lane].offset;
    const uint64_t offset = block->firstUninitialised(begin, sizeBytes);
    if (offset != begin + sizeBytes &&
        warp.cluster.launch.reporter.isNew(Finding::uninitialised,
                                           warp.current))
      warp.report(Finding::uninitialised,
                  uninitialisedSentence(warp.cluster, *block, offset),
                  verb(kind), static_cast<int>(lane));
  }

  Warp &warp;
  const unsigned sizeBytes;
  const uint64_t alignmentMask;
  const AccessKind kind;
  const Scope scope;
  std::unique_lock<std::recursive_mutex> guard;
  // As Location, but not initialised: there is one of these for each access.
  struct Place {
    MemoryBlock *block;
    uint64_t offset;
  };
  std::array<Place, warpLanes> places;
  MemoryBlock *lastGlobal = nullptr; // most lanes are in the same allocation
  // Of the access that is tracked.
  MemoryBlock *block = nullptr;
  Accessor accessor;
  MemoryBlock::OnConflict onConflict;

public:
  bool isSamePlace(unsigned lane, unsigned other) const {
    return places[lane].block == places[other].block &&
           places[lane].offset == places[other].offset;
  }
  uint64_t offset(unsigned lane) const { return places[lane].offset; }
};

bool isBroadcast(const Access &access, LaneMask active) {
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  bool result = true;
  forEachLane(active, [&](unsigned lane) {
    result &= access.isSamePlace(lane, first);
  });
  return result;
}

/// Calls `body` for each place that lanes access, with these lanes.
template <class Body>
void forEachPlace(const Access &access, LaneMask active, Body body) {
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

} // namespace

LaneAddresses Warp::addresses(LaneMask active, const AddressOperand &operand) {
  LaneAddresses result{};
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

void Warp::load(LaneMask active, StateSpace space,
                const LaneAddresses &addresses, unsigned sizeBytes, void *out,
                unsigned strideBytes, Scope scope) {
  Access access(*this, active, space, addresses, sizeBytes, AccessKind::read,
                scope);
  if (isBroadcast(access, active))
    ordering->forKnowingSame(active,
                             [&](LaneMask lanes) { access.track(lanes); });
  else if (access.isInLine(active))
    ordering->forKnowingSame(
        active, [&](LaneMask lanes) { access.trackInLine(lanes); });
  else
    forEachLane(active,
                [&](unsigned lane) { access.track(LaneMask(1) << lane); });
  auto *bytes = static_cast<uint8_t *>(out);
  forEachLane(active, [&](unsigned lane) {
    copy(bytes + size_t(lane) * strideBytes, access.data(lane), sizeBytes);
  });
}

void Warp::store(LaneMask active, StateSpace space,
                 const LaneAddresses &addresses, unsigned sizeBytes,
                 const void *values, unsigned strideBytes, Scope scope) {
  Access access(*this, active, space, addresses, sizeBytes, AccessKind::write,
                scope);
  const auto *bytes = static_cast<const uint8_t *>(values);
  auto valueOf = [&](unsigned lane) {
    return bytes + size_t(lane) * strideBytes;
  };
  if (access.isInLine(active))
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
  forEachLane(active, [&](unsigned lane) {
    uint8_t *place = access.data(lane);
    changed |= std::memcmp(place, valueOf(lane), sizeBytes) != 0;
    copy(place, valueOf(lane), sizeBytes);
  });
  if (changed && space != StateSpace::local)
    cluster.noteProgress();
}

void Warp::modify(unsigned lane, StateSpace space, uint64_t address,
                  unsigned sizeBytes, Scope scope,
                  const std::function<void(uint8_t *)> &change) {
  LaneAddresses addresses{};
  addresses[lane] = address;
  Access access(*this, LaneMask(1) << lane, space, addresses, sizeBytes,
                AccessKind::readWrite, scope);
  access.track(LaneMask(1) << lane);
  std::array<uint8_t, 64> before{};
  uint8_t *place = access.data(lane);
  std::memcpy(before.data(), place, std::min<size_t>(sizeBytes, 64));
  change(place);
  if (std::memcmp(before.data(), place, std::min<size_t>(sizeBytes, 64)) != 0)
    cluster.noteProgress();
}

} // namespace ashlar::sim
