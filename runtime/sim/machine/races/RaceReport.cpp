// Races and missing proxy fences as sentences.
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"
#include "runtime/sim/machine/races/WaitReport.h"

#include <algorithm>
#include <functional>

namespace ashlar::sim {
namespace {

/// "writes it through the copy engine".
std::string did(bool writes, bool reads, const Instruction *instruction) {
  std::string text = writes && reads ? "reads and writes it"
                     : writes        ? "writes it"
                                     : "reads it";
  if (!instruction)
    return text;
  switch (instruction->traits.engine) {
  case Engine::thread:
    return text;
  case Engine::threadCopy:
    return text + " by cp.async";
  case Engine::bulkCopy:
    return text + " by a bulk copy";
  case Engine::tensorCopy:
    return text + " by TMA";
  case Engine::tensorCore:
    return text + " by the tensor cores";
  }
  return text;
}

std::string fenceSentence(const std::string &place, bool wasWritten,
                          bool writes) {
  const std::string accesses = wasWritten ? "stores" : "loads";
  return place + " was " + (wasWritten ? "written" : "read") + " by ordinary " +
         accesses + " and is " + (writes ? "overwritten" : "read") +
         " through the asynchronous proxy (TMA, bulk copies, wgmma) with no "
         "proxy fence between: " +
         (wasWritten ? "it may not see what was stored"
                     : "the loads may see what overwrites it") +
         ". Put fence.proxy.async behind the " + accesses +
         ", before the barrier by which the other side learns of them";
}

/// Of a tensor map, and the fence that is missing first.
std::string mapFenceSentence(const std::string &place, bool isReleased) {
  return "the tensor map at " + place +
         " was written by the kernel and is used by TMA with no fence of the "
         "tensormap proxy between: TMA may see the map that was there "
         "before. " +
         (isReleased
              ? "Put fence.proxy.tensormap::generic.acquire.gpu [map], 128 "
                "before the copy, behind the barrier by which its thread "
                "learns "
                "of the new map"
              : "Put fence.proxy.tensormap::generic.release.gpu (or "
                "tensormap.cp_fenceproxy, which copies the map as well) behind "
                "the stores, before the barrier by which the other side learns "
                "of them, and fence.proxy.tensormap::generic.acquire.gpu "
                "[map], "
                "128 before the copy");
}

/// When both are strong, and it is the scope of one that leaves the other out.
std::string scopeHint(const PastAccess &earlier, const Accessor &now) {
  if (earlier.scope == Scope::weak || now.scope == Scope::weak)
    return "";
  return " Both are atomic, but the scope of one does not include the other's "
         "thread: widen it (.cluster, .gpu)";
}

std::string raceSentence(const std::string &place, const PastAccess &earlier,
                         const Accessor &now, bool writes) {
  std::string scope = scopeHint(earlier, now);
  if (earlier.isWrite && writes)
    return place +
           " is written twice, and neither write is ordered before the other" +
           (scope.empty() ? ": two writers, or a buffer is filled again before "
                            "its last fill was complete and used"
                          : "." + scope);
  if (!earlier.isWrite)
    return place +
           " is overwritten while it may still be read: nothing orders "
           "the read before the write" +
           (scope.empty() ? ". Usually the reader frees the buffer too early, "
                            "or the writer does not wait until it is free"
                          : "." + scope);
  return place +
         " is read with nothing that orders the read after the write: "
         "it may be read before the fill is complete" +
         (!scope.empty() ? "." + scope
          : earlier.asynchronous
              ? ", or filled again while it is still read. Usually the wait "
                "for the copy is missing or waits for the wrong phase, or the "
                "buffer was freed too early"
              : ". A barrier, or a release and an acquire, is missing "
                "between them");
}

} // namespace

void Cluster::reportConflict(MemoryBlock &block,
                             const MemoryBlock::Conflict &conflict,
                             const Accessor &accessor, AccessKind kind) {
  const PastAccess &earlier = conflict.earlier;
  Finding finding =
      conflict.lacksProxyFence ? Finding::missingProxyFence : Finding::race;
  // Which of two unordered accesses comes first is the schedule's choice: the
  // pair is told once.
  auto [first, second] =
      std::minmax(earlier.instruction, accessor.instruction, std::less<>());
  if (!launch.reporter.isNew(finding, first, second))
    return;
  if (auto cause = explainByWaits(*this, block, conflict, accessor, kind)) {
    launch.reporter.addCause(std::move(*cause));
    return;
  }
  bool writes = kind != AccessKind::read;
  std::string place = placeOf(*this, block, conflict.offset);
  Report report;
  report.finding = finding;
  if (!conflict.lacksProxyFence)
    report.sentence = raceSentence(place, earlier, accessor, writes);
  else if (accessor.tensorMap)
    report.sentence =
        mapFenceSentence(place, accessor.causality->releasedMaps(earlier.agent)
                                    .covers(earlier.epoch, earlier.lane));
  else
    report.sentence = fenceSentence(place, earlier.isWrite, writes);
  Accessor before;
  before.cta = earlier.cta;
  before.warp = earlier.warp;
  before.lane = earlier.lane;
  before.asynchronous = earlier.asynchronous;
  before.instruction = earlier.instruction;
  report.sites.push_back(
      site(before, did(earlier.isWrite, false, earlier.instruction)));
  report.sites.push_back(site(
      accessor, did(writes, kind != AccessKind::write, accessor.instruction)));
  launch.reporter.add(std::move(report));
}

std::string Cluster::who(uint32_t cta, uint32_t warp, int lane) const {
  const ptx::Dimensions &grid = launch.shape.grid;
  std::string role = launch.roleOf(warp);
  std::string text = role.empty() ? "" : "role '" + role + "', ";
  if (lane >= 0)
    text += "lane " + std::to_string(lane) + " of ";
  return text + "warp " + std::to_string(warp) + " of CTA (" +
         std::to_string(cta % grid.x) + "," +
         std::to_string(cta / grid.x % grid.y) + "," +
         std::to_string(cta / grid.x / grid.y) + ")";
}

Site Cluster::site(const Accessor &accessor, std::string did) const {
  return {who(accessor.cta, accessor.warp,
              accessor.asynchronous ? -1 : accessor.lane),
          std::move(did), launch.sourceOf(accessor.instruction),
          launch.textOf(accessor.instruction)};
}

std::string Cluster::describeShared(uint32_t sharedAddress) const {
  uint32_t offset = sharedAddress & ((1u << sharedRankShift) - 1);
  std::string place = "shared+" + std::to_string(offset);
  uint32_t begin = launch.kernel.shared.dynamicBegin;
  std::string name =
      offset >= begin ? launch.notes.describeShared(offset - begin) : "";
  return name.empty() ? place : name + " (" + place + ")";
}

} // namespace ashlar::sim
