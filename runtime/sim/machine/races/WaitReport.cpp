#include "runtime/sim/machine/races/WaitReport.h"

#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"
#include "runtime/sim/machine/memory/StageRounds.h"

namespace ashlar::sim {

namespace {

Accessor accessorOf(const PastAccess &access) {
  Accessor accessor;
  accessor.agent = access.agent;
  accessor.epoch = access.epoch;
  accessor.cta = access.cta;
  accessor.warp = access.warp;
  accessor.lane = access.lane;
  accessor.asynchronous = access.asynchronous;
  accessor.instruction = access.instruction;
  return accessor;
}

/// The mbarrier whose copies the agent stands for; null when it is no such.
const Mbarrier *barrierOf(const Cluster &cluster, AgentId agent) {
  for (const auto &cta : cluster.ctas)
    for (const auto &[offset, barrier] : cta->mbarriers)
      if (barrier.agent == agent)
        return &barrier;
  return nullptr;
}

std::string placeOf(const Launch &launch, const Instruction *instruction) {
  const std::string source = launch.sourceOf(instruction);
  return source.empty() ? launch.textOf(instruction) : source;
}

/// Whether the warp has given back what the full barrier's phase gave it.
bool hasGivenBack(const Mbarrier &full, uint32_t phase, uint32_t cta,
                  uint32_t warp) {
  const Partner partner = partnerOf(full);
  const Participant *self =
      partner.barrier ? participant(*partner.barrier, cta, warp) : nullptr;
  return self && self->arrivedIn && *self->arrivedIn >= phase;
}

/// The reader's last wait on the barrier let it pass before `phase`, in which
/// the bytes are copied, was complete; or it has not waited.
std::optional<Report> earlyRead(Cluster &cluster, const Mbarrier &barrier,
                                uint32_t phase, const std::string &place,
                                const Accessor &reader,
                                const std::string &did) {
  const Participant *self = participant(barrier, reader.cta, reader.warp);
  const bool hasWaited = self && self->passed;
  if (hasWaited && *self->passed > phase)
    return std::nullopt;
  // Who still has the stage of the phase before may read it: it is filled too
  // early.
  if (hasWaited && *self->passed > 0 &&
      !hasGivenBack(barrier, *self->passed - 1, reader.cta, reader.warp))
    return std::nullopt;
  Report report;
  const std::string name = cluster.describeShared(barrier.address());
  if (hasWaited) {
    report.finding = Finding::wrongPhase;
    report.sentence =
        "the wait at " + placeOf(cluster.launch, self->passedAt) + " on " +
        name + " is for the wrong phase: it passed when " +
        (*self->passed == 0 ? std::string("no phase was complete")
                            : "phase " + std::to_string(*self->passed - 1) +
                                  " was the last to be complete") +
        ", and " + place + " is filled in phase " + std::to_string(phase) +
        ": wait for parity " + std::to_string(phase & 1) + " there" +
        (*self->passed ? ", and flip it in each round" : "");
  } else {
    report.finding = Finding::missingWait;
    report.sentence = place +
                      " is read without a wait for the copies into it: "
                      "wait for phase " +
                      std::to_string(phase) + " (parity " +
                      std::to_string(phase & 1) + ") of " + name;
  }
  report.sites.push_back(cluster.site(reader, did));
  if (hasWaited)
    report.sites.push_back({cluster.who(reader.cta, reader.warp, -1),
                            "has passed this wait",
                            cluster.launch.sourceOf(self->passedAt),
                            cluster.launch.textOf(self->passedAt)});
  return report;
}

/// What the thread that issued the operation must do before others may count
/// on its end.
const char *waitFor(Engine engine, bool writes) {
  switch (engine) {
  case Engine::tensorCore:
    return "wgmma.commit_group behind it, then wgmma.wait_group";
  case Engine::threadCopy:
    return "cp.async.commit_group behind it, then cp.async.wait_group, or "
           "cp.async.mbarrier.arrive";
  case Engine::bulkCopy:
  case Engine::tensorCopy:
    return writes ? "cp.async.bulk.commit_group behind it, then "
                    "cp.async.bulk.wait_group"
                  : "cp.async.bulk.commit_group behind it, then "
                    "cp.async.bulk.wait_group.read";
  case Engine::thread:
    break;
  }
  return "";
}

std::string nameOf(Engine engine) {
  switch (engine) {
  case Engine::tensorCore:
    return "wgmma";
  case Engine::threadCopy:
    return "cp.async";
  case Engine::bulkCopy:
    return "a bulk copy";
  case Engine::tensorCopy:
    return "a TMA copy";
  case Engine::thread:
    break;
  }
  return "";
}

/// The thread that issued the earlier operation has not waited for its end: it
/// does not know it, or did not when it gave the stage back that `fills` fills.
std::optional<Report> unwaited(Cluster &cluster, const std::string &place,
                               const PastAccess &earlier,
                               const Accessor &accessor, bool writes,
                               const Mbarrier *fills) {
  const Engine engine = earlier.instruction->traits.engine;
  Warp *issuer = cluster.warpOf(earlier.cta, earlier.warp);
  if (engine == Engine::thread || !issuer)
    return std::nullopt;
  auto knowsTheEnd = [&](const Causality &causality) {
    return causality.base.covers(earlier.agent, earlier.epoch, earlier.lane);
  };
  if (fills) {
    if (accessor.epoch < 2 ||
        !hasGivenBack(*fills, accessor.epoch - 2, earlier.cta, earlier.warp))
      return std::nullopt;
    const Mbarrier &empty = *partnerOf(*fills).barrier;
    if (knowsTheEnd(empty.arrived) || knowsTheEnd(empty.completed))
      return std::nullopt;
  } else if (knowsTheEnd(*issuer->accessor(earlier.lane).causality)) {
    return std::nullopt;
  }
  Report report;
  report.finding = Finding::missingWait;
  report.sentence = place + " is " + (writes ? "overwritten" : "read") +
                    " while " + nameOf(engine) + " may still " +
                    (earlier.isWrite ? "write" : "read") +
                    " it: whoever issued that has not waited for its end "
                    "before it let others "
                    "go on. Put " +
                    waitFor(engine, earlier.isWrite) + ", before that";
  report.sites.push_back(cluster.site(
      accessorOf(earlier), earlier.isWrite ? "writes it" : "reads it"));
  report.sites.push_back(
      cluster.site(accessor, writes ? "overwrites it" : "reads it"));
  return report;
}

} // namespace

std::optional<Report> explainByWaits(Cluster &cluster, MemoryBlock &block,
                                     const MemoryBlock::Conflict &conflict,
                                     const Accessor &accessor,
                                     AccessKind kind) {
  const PastAccess &earlier = conflict.earlier;
  const bool writes = kind != AccessKind::read;
  if (!earlier.instruction || conflict.lacksProxyFence ||
      block.kind != MemoryBlock::Kind::shared)
    return std::nullopt;
  const std::string place = sim::placeOf(cluster, block, conflict.offset);
  if (const Mbarrier *filled = barrierOf(cluster, earlier.agent))
    return earlier.isWrite && !writes
               ? earlyRead(cluster, *filled, earlier.epoch - 1, place, accessor,
                           "reads it")
               : std::nullopt;
  // What is read before it is filled for the first time was read too early, not
  // given back too early.
  const Mbarrier *fills = barrierOf(cluster, accessor.agent);
  if (fills && !earlier.isWrite && accessor.epoch == 1)
    return earlyRead(cluster, *fills, 0, place, accessorOf(earlier),
                     "reads it");
  return unwaited(cluster, place, earlier, accessor, writes, fills);
}

bool Cluster::reportEarlyRead(MemoryBlock &block, uint64_t offset,
                              const Accessor &accessor,
                              const std::string &did) {
  const Mbarrier *full =
      block.stages ? block.stages->fullBarrierOf(offset) : nullptr;
  if (!full)
    return false;
  auto report = earlyRead(*this, *full, full->phase,
                          sim::placeOf(*this, block, offset), accessor, did);
  if (!report)
    return false;
  if (launch.reporter.isNew(report->finding, accessor.instruction))
    launch.reporter.addCause(std::move(*report));
  return true;
}

Warp *Cluster::warpOf(uint32_t cta, uint32_t warp) {
  for (auto &each : ctas)
    if (each->linear == cta && warp < each->warps.size())
      return each->warps[warp].get();
  return nullptr;
}

} // namespace ashlar::sim
