// The access that is being compared with those that a Shadow remembers.
#pragma once

#include "runtime/sim/machine/races/Shadow.h"

namespace ashlar::sim {

/// As std::has_single_bit, which calls a function where there is no popcnt.
inline bool isOneLane(LaneMask lanes) {
  return lanes && !(lanes & (lanes - 1));
}

inline constexpr uint32_t setBit = 1u << 31;
inline constexpr uint32_t allOfRecord = 32; // in place of a lane
inline constexpr uint32_t byPlace = 33;
inline constexpr unsigned laneBits = 6;
inline constexpr uint32_t laneCode = (1u << laneBits) - 1;
inline constexpr uint8_t wholeWord = 0xf;

/// Whether a strong access' scope includes the other's thread.
inline bool includes(Scope scope, uint32_t cta, uint32_t cluster,
                     uint32_t otherCta, uint32_t otherCluster) {
  switch (scope) {
  case Scope::weak:
    return false;
  case Scope::cta:
    return cta == otherCta;
  case Scope::cluster:
    return cluster == otherCluster;
  case Scope::gpu:
  case Scope::system:
    break;
  }
  return true;
}

inline bool includes(Scope scope, uint32_t cta, uint32_t cluster,
                     const AccessRecord &other) {
  return includes(scope, cta, cluster, other.cta, other.agent.cluster);
}

/// The lanes among `lanes` whose accesses in that epoch are not known.
inline LaneMask unknown(const Knowledge &knowledge, Epoch epoch,
                        LaneMask lanes) {
  if (epoch <= knowledge.all)
    return 0;
  return epoch <= knowledge.top ? lanes & ~knowledge.ahead : lanes;
}

struct Shadow::Current {
  const Accessor &accessor;
  const MemoryBlock::OnConflict &onConflict;
  const bool writes;
  LaneMask lanes; // those that access the word
  const uint32_t record;
  const AccessReference reference; // to the whole word
  const bool isByPlace;
  const uint8_t pattern;
  bool dependsOnPlace = false;
  std::vector<std::pair<uint32_t, bool>> told; // conflicts of this call

  Current(AccessKind kind, const Accessor &accessor,
          const MemoryBlock::OnConflict &onConflict, LaneMask lanes,
          uint32_t record, bool isByPlace, uint8_t pattern)
      : accessor(accessor), onConflict(onConflict),
        writes(kind != AccessKind::read), lanes(lanes), record(record),
        reference(record << laneBits |
                  (isByPlace          ? byPlace
                   : isOneLane(lanes) ? std::countr_zero(lanes)
                                      : allOfRecord)),
        isByPlace(isByPlace), pattern(pattern) {}

  /// Whether each place has the same lane in both, or neither tells it.
  bool isSamePattern(const AccessRecord &earlier, bool earlierByPlace) const {
    return earlierByPlace == isByPlace &&
           (!isByPlace || earlier.pattern == pattern);
  }

  /// Lanes of an earlier access that this one is not ordered after.
  LaneMask unordered(const AccessRecord &earlier, LaneMask earlierLanes,
                     bool earlierByPlace, bool earlierWrites) {
    const Knowledge knowledge = accessor.causality->base.of(earlier.agent);
    LaneMask left = unknown(knowledge, earlier.epoch, earlierLanes);
    if (earlier.epoch <= knowledge.all)
      return 0;
    dependsOnPlace |= earlierByPlace && earlier.epoch <= knowledge.top;
    // A thread's own past is ordered before it. Of several lanes each has all
    // but itself to fear.
    if (accessor.inProgramOrder && earlier.agent == accessor.agent) {
      dependsOnPlace |= !isSamePattern(earlier, earlierByPlace);
      if (isOneLane(lanes))
        left &= ~lanes;
      // Lanes that wrote the same value at once read back their own.
      if (earlierWrites && !writes && !(lanes & ~earlierLanes))
        left = 0;
    }
    return left;
  }
  /// Lanes whose generic access this asynchronous one may overtake: writes, or
  /// reads of what this one overwrites. So may TMA's reading of a tensor map.
  LaneMask unfenced(const AccessRecord &earlier, LaneMask earlierLanes,
                    bool earlierByPlace) {
    if ((!accessor.asynchronous && !accessor.tensorMap) || earlier.asynchronous)
      return 0;
    const Causality &known = *accessor.causality;
    const Knowledge knowledge =
        accessor.tensorMap
            ? known.acquiredMap(accessor.tensorMap, earlier.agent)
            : known.asynchronous.of(earlier.agent);
    dependsOnPlace |= earlierByPlace && earlier.epoch > knowledge.all &&
                      earlier.epoch <= knowledge.top;
    return unknown(knowledge, earlier.epoch, earlierLanes);
  }
  /// Whether this store writes to `bytes` of the word what an earlier one
  /// wrote, which is there.
  bool writesTheSame(const AccessRecord &earlier, unsigned bytes,
                     uint64_t offset) {
    if (!accessor.changesNothing || earlier.asynchronous)
      return false;
    dependsOnPlace = true; // on what is there
    const auto first = static_cast<unsigned>(std::countr_zero(bytes));
    return (*accessor.changesNothing)(
        static_cast<unsigned>(std::countr_zero(lanes)), offset + first,
        static_cast<unsigned>(std::bit_width(bytes)) - first);
  }
  bool areBothStrong(const AccessRecord &earlier) const {
    return includes(accessor.scope, accessor.cta, accessor.agent.cluster,
                    earlier) &&
           includes(earlier.scope, earlier.cta, earlier.agent.cluster,
                    accessor.cta, accessor.agent.cluster);
  }
};

} // namespace ashlar::sim
