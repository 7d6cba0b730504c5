#include "runtime/sim/machine/memory/StageRounds.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {

StageRounds::StageRounds(const Cta &cta) : cta(cta) {
  const Launch &launch = cta.cluster.launch;
  const uint64_t dynamic = launch.kernel.shared.dynamicBegin;
  for (const Notes::Ring &ring : launch.notes.rings)
    for (uint32_t i = 0; i < ring.stages; ++i) {
      Stage stage;
      stage.begin = dynamic + ring.offset + i * ring.stageBytes;
      stage.end = stage.begin + ring.stageBytes;
      stage.full = static_cast<uint32_t>(dynamic + ring.barrier(true, i));
      stage.empty = static_cast<uint32_t>(dynamic + ring.barrier(false, i));
      stage.written.resize(ring.stageBytes);
      stages.push_back(std::move(stage));
    }
  if (stages.empty())
    return;
  begin = std::ranges::min(stages, {}, &Stage::begin).begin;
  end = std::ranges::max(stages, {}, &Stage::end).end;
}

const Mbarrier *StageRounds::barrierAt(uint32_t offset) const {
  auto found = cta.mbarriers.find(offset);
  return found == cta.mbarriers.end() ? nullptr : &found->second;
}

const Mbarrier *StageRounds::fullBarrierOf(uint64_t offset) const {
  for (const Stage &stage : stages)
    if (offset >= stage.begin && offset < stage.end)
      return barrierAt(stage.full);
  return nullptr;
}

uint32_t StageRounds::roundOfWriter(const Stage &stage,
                                    const Accessor &accessor) const {
  const Mbarrier *full = barrierAt(stage.full);
  if (full && accessor.agent == full->agent)
    return accessor.epoch - 1;
  const Mbarrier *empty = barrierAt(stage.empty);
  return empty && accessor.causality
             ? accessor.causality->base.of(empty->agent).all
             : 0;
}

std::optional<uint32_t>
StageRounds::roundOfReader(const Stage &stage, const Accessor &accessor) const {
  const Mbarrier *full = barrierAt(stage.full);
  const uint32_t phases = full && accessor.causality
                              ? accessor.causality->base.of(full->agent).all
                              : 0;
  if (phases == 0)
    return std::nullopt;
  return phases - 1;
}

void StageRounds::write(uint64_t offset, uint64_t size,
                        const Accessor &accessor) {
  if (offset >= end || offset + size <= begin)
    return;
  for (Stage &stage : stages) {
    const uint64_t first = std::max(offset, stage.begin),
                   last = std::min(offset + size, stage.end);
    if (first >= last)
      continue;
    const uint32_t round = roundOfWriter(stage, accessor);
    if (round > stage.round) {
      stage.round = round;
      std::ranges::fill(stage.written, uint8_t(0));
    }
    if (round == stage.round)
      std::memset(stage.written.data() + (first - stage.begin), 1,
                  last - first);
  }
}

std::optional<uint64_t>
StageRounds::firstStale(std::span<const Stretch> stretches,
                        const Accessor &accessor) const {
  for (const Stage &stage : stages) {
    std::optional<uint32_t> round;
    for (const Stretch &stretch : stretches) {
      const uint64_t first = std::max(stretch.offset, stage.begin),
                     last = std::min(stretch.offset + stretch.size, stage.end);
      if (first >= last)
        continue;
      if (!round && !(round = roundOfReader(stage, accessor)))
        break;
      if (*round < stage.round)
        break;
      if (*round > stage.round)
        return first;
      const uint8_t *from = stage.written.data() + (first - stage.begin);
      if (const void *stale = std::memchr(from, 0, last - first))
        return first + static_cast<uint64_t>(
                           static_cast<const uint8_t *>(stale) - from);
    }
  }
  return std::nullopt;
}

std::string StageRounds::describe(uint64_t offset,
                                  const Accessor &accessor) const {
  for (const Stage &stage : stages) {
    const auto round = roundOfReader(stage, accessor);
    if (offset < stage.begin || offset >= stage.end || !round)
      continue;
    return "was given back and is read again in round " +
           std::to_string(*round) + " (from 0) of its stage, in which " +
           (*round > stage.round ? "nothing of the stage was written"
                                 : "it was not written") +
           ": it holds what an earlier round left there. Whoever fills the "
           "stage leaves this out, or writes it elsewhere";
  }
  return "";
}

} // namespace ashlar::sim
