// Memory as the CTAs of a cluster and its engines see it.
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"
#include "runtime/sim/machine/memory/StageRounds.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ashlar::sim {
namespace {

/// CUDA's limit of a thread's local memory.
constexpr uint64_t localBytes = 512 * 1024;

class AccessCheck {
public:
  AccessCheck(Cluster &cluster, const Location &place, uint64_t sizeBytes,
              const Accessor &accessor, const std::string &what)
      : cluster(cluster), block(place.block), offset(place.offset),
        sizeBytes(sizeBytes), accessor(accessor), what(what) {
    if (block && block->kind == MemoryBlock::Kind::global)
      guard = std::unique_lock(cluster.launch.memory.lock);
    if (!isWithin(place, sizeBytes))
      cluster.launch.reporter.stop(
          report(Finding::outOfBounds,
                 outOfBoundsSentence(cluster, place, sizeBytes)));
    if (block->tensors &&
        block->tensors->runAround(offset, sizeBytes).end == 0 &&
        cluster.launch.reporter.isNew(Finding::outOfBounds,
                                      accessor.instruction))
      cluster.launch.reporter.add(report(
          Finding::outOfBounds,
          block->tensors->describe(offset, sizeBytes, block->sizeBytes)));
  }

  void initialised() {
    uint64_t first = block->firstUninitialised(offset, sizeBytes);
    if (first == offset + sizeBytes ||
        cluster.reportEarlyRead(*block, first, accessor, what) ||
        !cluster.launch.reporter.isNew(Finding::uninitialised,
                                       accessor.instruction))
      return;
    cluster.launch.reporter.add(report(
        Finding::uninitialised, uninitialisedSentence(cluster, *block, first)));
  }

  void fresh() {
    const Stretch stretch{offset, sizeBytes};
    cluster.checkStale(*block, {&stretch, 1}, accessor, what);
  }

  void track(AccessKind kind) {
    auto report = [&](const MemoryBlock::Conflict &conflict) {
      cluster.reportConflict(*block, conflict, accessor, kind);
    };
    block->track(kind, offset, sizeBytes, accessor, std::ref(report));
  }

  uint8_t *data() { return block->data() + offset; }

private:
  Report report(Finding finding, std::string sentence) const {
    Report report;
    report.finding = finding;
    report.sentence = std::move(sentence);
    report.sites.push_back(cluster.site(accessor, what));
    return report;
  }

  Cluster &cluster;
  MemoryBlock *block;
  uint64_t offset, sizeBytes;
  const Accessor &accessor;
  const std::string &what;
  std::unique_lock<std::recursive_mutex> guard;
};

} // namespace

MemoryBlock &Cta::localOf(uint32_t thread) {
  const uint64_t top = std::min<uint64_t>(
      warps[thread / warpLanes]->localTop[thread % warpLanes], localBytes);
  auto &block = local[thread];
  if (block && block->sizeBytes >= top)
    return *block;
  constexpr uint64_t leastBytes = 256;
  auto grown = std::make_unique<MemoryBlock>(
      MemoryBlock::Kind::local, "local memory", 0,
      std::max(std::bit_ceil(top), leastBytes), /*tracked=*/false);
  if (block)
    std::memcpy(grown->data(), block->data(), block->sizeBytes);
  block = std::move(grown);
  return *block;
}

AgentId Cluster::newAgent() { return {index, agents++}; }

Cta *Cluster::ctaOfShared(uint32_t sharedAddress) {
  uint32_t rank = sharedAddress >> sharedRankShift;
  return rank < ctas.size() ? ctas[rank].get() : nullptr;
}

Mbarrier *Cluster::mbarrierAt(uint32_t sharedAddress) {
  Cta *cta = ctaOfShared(sharedAddress);
  if (!cta)
    return nullptr;
  auto found =
      cta->mbarriers.find(sharedAddress & ((1u << sharedRankShift) - 1));
  return found == cta->mbarriers.end() ? nullptr : &found->second;
}

Location Cluster::locate(Cta &cta, uint32_t thread, ptx::StateSpace space,
                         uint64_t address) {
  if (space == ptx::StateSpace::generic) {
    uint64_t within = address & (windowBytes - 1);
    switch (address & ~(windowBytes - 1)) {
    case sharedWindow:
      return locate(cta, thread, ptx::StateSpace::shared, within);
    case localWindow:
      return locate(cta, thread, ptx::StateSpace::local, within);
    case parameterWindow:
      return locate(cta, thread, ptx::StateSpace::parameter, within);
    default:
      return locate(cta, thread, ptx::StateSpace::global, address);
    }
  }
  switch (space) {
  case ptx::StateSpace::shared: {
    Cta *owner = address < windowBytes
                     ? ctaOfShared(static_cast<uint32_t>(address))
                     : nullptr;
    if (!owner)
      return {nullptr, address};
    return {owner->shared.get(), address & ((1u << sharedRankShift) - 1)};
  }
  case ptx::StateSpace::local:
    return {&cta.localOf(thread), address};
  case ptx::StateSpace::parameter:
    return {&launch.parameters, address};
  default:
    break;
  }
  std::lock_guard guard(launch.memory.lock);
  MemoryBlock *block = launch.memory.nearest(address);
  return {block, block ? address - block->address : address};
}

void Cluster::checkStale(MemoryBlock &block, std::span<const Stretch> stretches,
                         const Accessor &accessor, std::string_view did) {
  if (!block.stages)
    return;
  const auto stale = block.stages->firstStale(stretches, accessor);
  if (!stale || !launch.reporter.isNew(Finding::stale, accessor.instruction))
    return;
  Report report;
  report.finding = Finding::stale;
  report.sentence = placeOf(*this, block, *stale) + " " +
                    block.stages->describe(*stale, accessor);
  report.sites.push_back(site(accessor, std::string(did)));
  launch.reporter.add(std::move(report));
}

void Cluster::read(const Location &from, uint64_t sizeBytes,
                   const Accessor &accessor, void *out,
                   const std::string &what) {
  AccessCheck check(*this, from, sizeBytes, accessor, what);
  check.initialised();
  check.fresh();
  check.track(AccessKind::read);
  std::memcpy(out, check.data(), sizeBytes);
}

void Cluster::write(const Location &to, uint64_t sizeBytes,
                    const Accessor &accessor, const void *bytes,
                    const std::string &what) {
  AccessCheck check(*this, to, sizeBytes, accessor, what);
  check.track(AccessKind::write);
  std::memcpy(check.data(), bytes, sizeBytes);
  noteProgress();
}

void Cluster::modify(const Location &at, uint64_t sizeBytes,
                     const Accessor &accessor,
                     const std::function<void(uint8_t *)> &change,
                     const std::string &what) {
  AccessCheck check(*this, at, sizeBytes, accessor, what);
  check.initialised();
  check.fresh();
  check.track(AccessKind::readWrite);
  change(check.data());
  noteProgress();
}

} // namespace ashlar::sim
