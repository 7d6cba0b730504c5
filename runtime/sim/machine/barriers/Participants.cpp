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
        return Partner{other == all.end() ? nullptr : &other->second, isFull,
                       true};
      }
  return std::nullopt;
}

/// An arrival for a round whose phase has completed without it: the barrier
/// counts fewer than arrive.
void reportLowCount(Warp &warp, const Mbarrier &barrier, uint32_t round,
                    const char *did) {
  Cluster &cluster = warp.cluster;
  if (!cluster.launch.reporter.isNew(Finding::mbarrierMisuse, warp.current))
    return;
  const std::string phase = "phase " + std::to_string(round);
  Report report;
  report.finding = Finding::mbarrierMisuse;
  report.sentence =
      cluster.describeShared(barrier.address()) + " completes too early: its " +
      "count is " + std::to_string(barrier.expected) + ", and an arrival of " +
      phase + " comes when " + phase +
      " is over: more arrive in each round than are counted; raise the count "
      "that mbarrier.init gives it, or let fewer threads arrive";
  report.sites.push_back(warp.site(did));
  report.sites.push_back(cluster.site(barrier.initialisedBy, "initialised it"));
  cluster.launch.reporter.addCause(std::move(report));
}

/// Who fills a stage arrives in the round for which it was given the stage.
void checkFilled(Warp &warp, const Participant &filler, const Mbarrier &full) {
  const auto told = toldPartner(full);
  if (!told || !told->barrier || told->isFull != false ||
      warp.cta.linear != full.cta->linear)
    return;
  const Participant *self =
      participant(*told->barrier, warp.cta.linear, warp.index);
  if (self && self->passed && *self->passed < full.phase &&
      filler.arrivals < self->passes)
    reportLowCount(warp, full, *self->passed, "fills the stage");
}

/// Who gives back a stage must have waited for the phase in which it was
/// filled, once for each time.
void checkGivenBack(Warp &warp, const Participant &giver,
                    const Mbarrier &empty) {
  const auto told = toldPartner(empty);
  if (!told || !told->barrier || told->isFull != true ||
      warp.cta.linear != empty.cta->linear)
    return;
  const Participant *self =
      participant(*told->barrier, warp.cta.linear, warp.index);
  Launch &launch = warp.cluster.launch;
  if (!self || !self->passed || *self->passed > empty.phase)
    return;
  if (giver.arrivals < self->passes && !self->passedAtStart)
    reportLowCount(warp, empty, *self->passed - 1, "gives back the stage");
  if (giver.arrivals < self->passes || giver.arrivedIn == empty.phase ||
      !launch.reporter.isNew(Finding::wrongPhase, self->passedAt))
    return;
  const std::string source = launch.sourceOf(self->passedAt);
  Report report;
  report.finding = Finding::wrongPhase;
  report.sentence =
      "the wait at " +
      (source.empty() ? launch.textOf(self->passedAt) : source) + " on " +
      warp.cluster.describeShared(told->barrier->address()) +
      " is for the wrong phase: it passed when " +
      (*self->passed == 0 ? std::string("no phase was complete")
                          : "phase " + std::to_string(*self->passed - 1) +
                                " was the last to be complete") +
      ", and what is given back behind it is filled in phase " +
      std::to_string(empty.phase) + ": wait for parity " +
      std::to_string(empty.phase & 1) + " there" +
      (*self->passed ? ", and flip it in each round" : "");
  report.sites.push_back(warp.site("gives back the stage"));
  report.sites.push_back({warp.who(-1), "has passed this wait", source,
                          launch.textOf(self->passedAt)});
  launch.reporter.addCause(std::move(report));
}

} // namespace

void noteArrival(Warp &warp, Mbarrier &barrier) {
  Participant &self = of(barrier, warp);
  checkGivenBack(warp, self, barrier);
  checkFilled(warp, self, barrier);
  self.arrivals += self.arrivedIn != barrier.phase;
  self.arrivedIn = barrier.phase;
  const auto &last = warp.state<LastPass>();
  if (!barrier.acquiredThrough && last.barrier &&
      *last.barrier != barrier.address())
    barrier.acquiredThrough = last.barrier;
}

void notePass(Warp &warp, Mbarrier &barrier) {
  Participant &self = of(barrier, warp);
  self.passes += self.passed != barrier.phase;
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
