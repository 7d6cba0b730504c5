#include "runtime/sim/machine/barriers/Participants.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

/// The barrier at which the warp has passed a wait last.
struct LastPass {
  std::optional<uint32_t> barrier; // its address
};

Participant &of(Mbarrier &barrier, const Warp &warp) {
  for (Participant &each : barrier.participants)
    if (each.warp == warp.index && each.cta == warp.cta.linear)
      return each;
  Participant made;
  made.cta = warp.cta.linear;
  made.warp = warp.index;
  return barrier.participants.emplace_back(made);
}

bool isWaitedForAtStart(const Mbarrier &barrier) {
  return std::ranges::any_of(barrier.participants, &Participant::passedAtStart);
}

/// By the notes: the barriers of a stage are told together.
std::optional<Partner> toldPartner(const Mbarrier &barrier) {
  const Launch &launch = barrier.cta->cluster.launch;
  const uint32_t begin = launch.kernel.shared.dynamicBegin;
  for (const Notes::Ring &ring : launch.notes.rings)
    for (uint32_t stage = 0; stage < ring.stages; ++stage)
      for (bool isFull : {true, false}) {
        const uint64_t own = begin + ring.barrier(!isFull, stage);
        if (own != barrier.offset)
          continue;
        auto &all = barrier.cta->mbarriers;
        auto other = all.find(
            static_cast<uint32_t>(begin + ring.barrier(isFull, stage)));
        return Partner{other == all.end() ? nullptr : &other->second, isFull};
      }
  return std::nullopt;
}

} // namespace

void noteArrival(Warp &warp, Mbarrier &barrier) {
  of(barrier, warp).arrivedIn = barrier.phase;
  const auto &last = warp.state<LastPass>();
  if (!barrier.acquiredThrough && last.barrier &&
      *last.barrier != barrier.address())
    barrier.acquiredThrough = last.barrier;
}

void notePass(Warp &warp, Mbarrier &barrier) {
  Participant &self = of(barrier, warp);
  self.passed = barrier.phase;
  self.passedAt = warp.current;
  self.passedAtStart |= barrier.phase == 0;
  warp.state<LastPass>().barrier = barrier.address();
}

const Participant *participant(const Mbarrier &barrier, uint32_t cta,
                               uint32_t warp) {
  for (const Participant &each : barrier.participants)
    if (each.warp == warp && each.cta == cta)
      return &each;
  return nullptr;
}

Partner partnerOf(const Mbarrier &barrier) {
  if (auto told = toldPartner(barrier))
    return *told;
  const Mbarrier *found = nullptr;
  const bool knowsOwn = barrier.acquiredThrough.has_value();
  for (const auto &[offset, other] : barrier.cta->mbarriers) {
    if (&other == &barrier)
      continue;
    const bool gives = other.acquiredThrough == barrier.address();
    const bool takes = knowsOwn && *barrier.acquiredThrough == other.address();
    if (gives && takes) {
      found = &other;
      break;
    }
    if (gives || (takes && !found))
      found = &other;
  }
  Partner partner{found, std::nullopt};
  if (!found)
    return partner;
  if (isWaitedForAtStart(barrier) != isWaitedForAtStart(*found))
    partner.isFull = isWaitedForAtStart(barrier);
  return partner;
}

} // namespace ashlar::sim
