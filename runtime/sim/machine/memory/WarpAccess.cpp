#include "runtime/sim/machine/memory/WarpAccess.h"
#include "runtime/sim/machine/memory/AccessReport.h"

#include <cstring>

namespace ashlar::sim {

using ptx::StateSpace;

namespace {

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

} // namespace

WarpAccess::WarpAccess(Warp &warp, LaneMask active, StateSpace space,
                       const LaneAddresses &addresses, unsigned sizeBytes,
                       AccessKind kind, Scope scope)
    : warp(warp), sizeBytes(sizeBytes),
      alignmentMask(std::has_single_bit(sizeBytes) ? sizeBytes - 1 : 0),
      kind(kind), scope(scope),
      onConflict([this](const MemoryBlock::Conflict &conflict) {
        accessor.lane = conflict.lane;
        this->warp.cluster.reportConflict(*block, conflict, accessor,
                                          this->kind);
      }) {
  // Global memory keeps its lock until all lanes are done. What is only read
  // needs none.
  bool mayBeGlobal = false;
  if (space == StateSpace::generic)
    forEachLane(active, [&](unsigned lane) {
      mayBeGlobal |= addresses[lane] < sharedWindow ||
                     addresses[lane] >= parameterWindow + windowBytes;
    });
  if (mayBeGlobal || space == StateSpace::global ||
      space == StateSpace::constant)
    mayBeGlobal = true;
  if (mayBeGlobal && isInReadOnlyBlock(active, addresses))
    lastGlobal = warp.readOnlyBlock;
  else if (mayBeGlobal)
    guard = std::unique_lock(warp.cluster.launch.memory.lock);
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const Location place = locate(first, space, addresses[first]);
  blocks[first] = place.block;
  offsets[first] = place.offset;
  if (!locateNear(first, active, addresses))
    forEachLane(active & (active - 1), [&](unsigned lane) {
      const Location place = locate(lane, space, addresses[lane]);
      blocks[lane] = place.block;
      offsets[lane] = place.offset;
    });
  if (lastGlobal && lastGlobal->isReadOnly())
    warp.readOnlyBlock = lastGlobal;
}

/// Whether all lanes access what is around the place of the first, as they
/// mostly do, and rightly: a block's addresses are neighbours in every space.
bool WarpAccess::locateNear(unsigned first, LaneMask active,
                            const LaneAddresses &addresses) {
  MemoryBlock *const block = blocks[first];
  if (block->kind != MemoryBlock::Kind::global &&
      block->kind != MemoryBlock::Kind::shared)
    return false;
  const uint64_t begin = addresses[first] - offsets[first];
  TensorBounds::Run around{0, block->sizeBytes};
  if (block->tensors)
    around = elements;
  else if (block->kind == MemoryBlock::Kind::shared)
    around.begin = reservedSharedBytes;
  if (!around.contains(offsets[first], sizeBytes))
    return false;
  const uint64_t most = around.end - around.begin - sizeBytes;
  uint64_t misaligned = 0;
  bool isInside = true;
  auto place = [&](unsigned lane) {
    offsets[lane] = addresses[lane] - begin;
    misaligned |= addresses[lane] & alignmentMask;
    isInside &= offsets[lane] - around.begin <= most;
  };
  if (active == allLanes)
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      place(lane);
  else
    forEachLane(active, place);
  if (!isInside || misaligned)
    return false;
  common = block;
  return true;
}

bool WarpAccess::isInReadOnlyBlock(LaneMask active,
                                   const LaneAddresses &addresses) const {
  const MemoryBlock *known = warp.readOnlyBlock;
  if (kind != AccessKind::read || !known || !known->isReadOnly() ||
      known->sizeBytes < sizeBytes)
    return false;
  bool result = true;
  forEachLane(active, [&](unsigned lane) {
    result &= addresses[lane] - known->address <= known->sizeBytes - sizeBytes;
  });
  return result;
}

void WarpAccess::setStored(const uint8_t *values, unsigned strideBytes) {
  stored = values;
  storedStride = strideBytes;
  changesNothing = [this](unsigned lane, uint64_t offset, uint64_t size) {
    return std::memcmp(block->data() + offset,
                       stored + size_t(lane) * storedStride +
                           (offset - offsets[lane]),
                       size) == 0;
  };
}

bool WarpAccess::isBroadcast(LaneMask lanes) const {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const unsigned last = warpLanes - 1 - std::countl_zero(lanes);
  bool result = isSamePlace(first, last);
  if (result)
    forEachLane(lanes,
                [&](unsigned lane) { result &= isSamePlace(lane, first); });
  return result;
}

bool WarpAccess::isInLine(LaneMask lanes) const {
  if (!std::has_single_bit(sizeBytes) || sizeBytes > 16)
    return false;
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  const uint64_t base = lineBegin(first);
  bool result = true;
  if (common && lanes == allLanes)
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      result &= lineBegin(lane) == base;
  else
    forEachLane(lanes, [&](unsigned lane) {
      result &= blockOf(lane) == blockOf(first) && lineBegin(lane) == base;
    });
  return result;
}

void WarpAccess::track(LaneMask lanes) {
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  block = blockOf(lane);
  const uint64_t offset = offsets[lane];
  if (block->kind == MemoryBlock::Kind::local ||
      block->kind == MemoryBlock::Kind::parameter ||
      (kind == AccessKind::read && block->isReadOnly()))
    return;
  if (block->kind == MemoryBlock::Kind::shared)
    checkShared(lane, offset, offset + sizeBytes);
  if (kind != AccessKind::write)
    checkInitialised(lane);
  accessor = warp.accessor(lane, scope);
  accessor.changesNothing = stored ? &changesNothing : nullptr;
  if (kind != AccessKind::write && block->stages) {
    const Stretch stretch{offset, sizeBytes};
    warp.cluster.checkStale(*block, {&stretch, 1}, accessor, "loads");
  }
  block->track(kind, offset, sizeBytes, lanes, accessor, onConflict);
}

void WarpAccess::trackInLine(LaneMask lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  block = blockOf(first);
  if (block->kind == MemoryBlock::Kind::local ||
      block->kind == MemoryBlock::Kind::parameter ||
      (kind == AccessKind::read && block->isReadOnly()))
    return;
  const unsigned last = warpLanes - 1 - std::countl_zero(lanes);
  const uint64_t begin = offsets[first], end = offsets[last] + sizeBytes;
  if (block->kind == MemoryBlock::Kind::shared) {
    if (const LaneMask run = lanes >> first; (run & (run + 1)) == 0)
      checkShared(first, begin, end);
    else
      forEachLane(lanes, [&](unsigned lane) {
        checkShared(lane, offsets[lane], offsets[lane] + sizeBytes);
      });
  }
  if (kind != AccessKind::write &&
      block->firstUninitialised(begin, end - begin) != end)
    forEachLane(lanes, [&](unsigned lane) { checkInitialised(lane); });
  accessor = warp.accessor(first, scope);
  accessor.changesNothing = stored ? &changesNothing : nullptr;
  if (kind != AccessKind::write && block->stages)
    forEachLane(lanes, [&](unsigned lane) {
      const Stretch stretch{offsets[lane], sizeBytes};
      warp.cluster.checkStale(*block, {&stretch, 1}, accessor, "loads");
    });
  block->trackInLine(kind, lineBegin(first), sizeBytes, lanes, accessor,
                     onConflict);
}

void WarpAccess::reportBoth(unsigned first, unsigned second) {
  MemoryBlock &block = *blockOf(first);
  if (block.kind == MemoryBlock::Kind::local)
    return;
  MemoryBlock::Conflict conflict;
  conflict.earlier.cta = warp.cta.linear;
  conflict.earlier.warp = warp.index;
  conflict.earlier.lane = static_cast<uint8_t>(first);
  conflict.earlier.isWrite = true;
  conflict.earlier.instruction = warp.current;
  conflict.offset = offsets[first];
  warp.cluster.reportConflict(block, conflict, warp.accessor(second, scope),
                              kind);
}

Location WarpAccess::locate(unsigned lane, StateSpace space, uint64_t address) {
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
    place = warp.cluster.locate(warp.cta, warp.index * warpLanes + lane, space,
                                address);
  if (place.block && place.block->kind == MemoryBlock::Kind::global &&
      place.block != lastGlobal) {
    lastGlobal = place.block;
    elements = {};
  }
  bool isInside = isWithin(place, sizeBytes);
  if (isInside && place.block->kind == MemoryBlock::Kind::local)
    isInside = place.offset + sizeBytes <= warp.localTop[lane];
  if (!isInside)
    outOfBounds(lane, space, address, place);
  if (place.block->tensors && !elements.contains(place.offset, sizeBytes))
    checkElements(lane, place);
  if (kind != AccessKind::read &&
      place.block->kind == MemoryBlock::Kind::parameter)
    warp.stop(Finding::outOfBounds,
              "the parameters of a kernel can only be read", verb(kind),
              static_cast<int>(lane));
  return place;
}

void WarpAccess::outOfBounds(unsigned lane, StateSpace space, uint64_t address,
                             const Location &place) {
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
  warp.stop(Finding::outOfBounds, sentence, verb(kind), static_cast<int>(lane));
}

void WarpAccess::checkElements(unsigned lane, const Location &place) {
  const TensorBounds &tensors = *place.block->tensors;
  elements = tensors.runAround(place.offset, sizeBytes);
  if (warp.current->traits.readsAround &&
      tensors.isAround(place.offset, sizeBytes))
    return;
  // The allocation holds the bytes, so that the launch can go on.
  if (!elements.contains(place.offset, sizeBytes) &&
      warp.cluster.launch.reporter.isNew(Finding::outOfBounds, warp.current))
    warp.report(
        Finding::outOfBounds,
        tensors.describe(place.offset, sizeBytes, place.block->sizeBytes),
        verb(kind), static_cast<int>(lane));
}

void WarpAccess::checkShared(unsigned lane, uint64_t begin, uint64_t end) {
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
      warp.cluster.launch.reporter.isNew(Finding::mbarrierMisuse, warp.current))
    warp.report(Finding::mbarrierMisuse,
                "the mbarrier at " +
                    warp.cluster.describeShared(owner->rank << sharedRankShift |
                                                barrier) +
                    " is accessed as ordinary memory while it is "
                    "initialised: only mbarrier instructions may, until "
                    "mbarrier.inval",
                verb(kind), static_cast<int>(lane));
}

void WarpAccess::checkInitialised(unsigned lane) {
  if (warp.current->traits.replacesBits)
    return;
  const uint64_t begin = offsets[lane], end = begin + sizeBytes;
  uint64_t offset = block->firstUninitialised(begin, sizeBytes);
  // What lies between rows, and is dropped, need not be.
  if (warp.current->traits.readsAround && block->tensors)
    while (offset != end && !block->tensors->isAround(offset, 1))
      offset = block->firstUninitialised(offset + 1, end - offset - 1);
  if (offset != end &&
      !warp.cluster.reportEarlyRead(*block, offset, warp.accessor(lane, scope),
                                    verb(kind)) &&
      warp.cluster.launch.reporter.isNew(Finding::uninitialised, warp.current))
    warp.report(Finding::uninitialised,
                uninitialisedSentence(warp.cluster, *block, offset), verb(kind),
                static_cast<int>(lane));
}

} // namespace ashlar::sim
