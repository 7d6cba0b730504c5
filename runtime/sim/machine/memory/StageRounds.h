// Which bytes of a pipeline's stages were written in the round that is read.
//
// A full phase of a stage promises what was written since the stage was last
// given back: what an earlier round left there is stale. Only for stages that
// the notes in the PTX tell of (Notes::Ring): elsewhere a tile may well stay
// where it is while others beside it are filled anew under the same barrier.
#pragma once

#include "runtime/sim/machine/barriers/Mbarrier.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::sim {

class Cta;

class StageRounds {
public:
  explicit StageRounds(const Cta &cta);

  void write(uint64_t offset, uint64_t size, const Accessor &accessor);
  /// The first byte that was written in a round before the reader's, or none.
  /// A reader that has not waited for the stage has no round.
  std::optional<uint64_t> firstStale(std::span<const Stretch> stretches,
                                     const Accessor &accessor) const;
  /// "holds what round 3 left there: ...", for such a byte.
  std::string describe(uint64_t offset, const Accessor &accessor) const;

  /// Of the stage in which the byte lies; null when it lies in none, or nobody
  /// has initialised it.
  const Mbarrier *fullBarrierOf(uint64_t offset) const;

private:
  struct Stage {
    uint64_t begin = 0, end = 0;
    uint32_t full = 0, empty = 0; // offsets of the barriers
    uint32_t round = 0;           // the latest in which anything was written
    std::vector<uint8_t> written; // by byte, whether it was in this round
  };
  const Mbarrier *barrierAt(uint32_t offset) const;
  /// The round in which an access fills the stage: the copies' by their phase,
  /// a thread's by how often it knows that the stage was given back.
  uint32_t roundOfWriter(const Stage &stage, const Accessor &accessor) const;
  /// By the latest full phase that it knows; none: it has not waited.
  std::optional<uint32_t> roundOfReader(const Stage &stage,
                                        const Accessor &accessor) const;

  const Cta &cta;
  std::vector<Stage> stages;
  uint64_t begin = 0, end = 0; // of all
};

} // namespace ashlar::sim
