// What a deadlock report says of an mbarrier on which threads wait.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr size_t shownEvents = 4;

std::string plural(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string describe(const Cluster &cluster, const Mbarrier::Event &event) {
  std::string text;
  switch (event.kind) {
  case Mbarrier::Event::Kind::arrival:
    text = plural(event.amount, "arrival");
    break;
  case Mbarrier::Event::Kind::drop:
    text = plural(event.amount, "arrival") + " that dropped out";
    break;
  case Mbarrier::Event::Kind::expect:
    text = "expectation of " + plural(event.amount, "byte");
    break;
  case Mbarrier::Event::Kind::complete:
    text = "landing of " + plural(event.amount, "byte");
    break;
  }
  const Accessor &by = event.by;
  text += " by " + cluster.who(by.cta, by.warp, by.lane);
  const std::string source = cluster.launch.sourceOf(by.instruction);
  const std::string place =
      source.empty() ? cluster.launch.textOf(by.instruction) : source;
  return place.empty() ? text : text + " (" + place + ")";
}

/// The latest events, latest last.
std::string listed(const Cluster &cluster,
                   const std::vector<Mbarrier::Event> &events) {
  std::string text;
  const size_t begin =
      events.size() > shownEvents ? events.size() - shownEvents : 0;
  for (size_t index = begin; index < events.size(); ++index)
    text += (index == begin ? "" : ", ") + describe(cluster, events[index]);
  return begin ? "..., " + text : text;
}

/// Threads of the cluster that have not exited and do not wait on the barrier.
uint32_t othersAlive(const Mbarrier &barrier) {
  uint32_t count = 0;
  for (const auto &cta : barrier.cta->cluster.ctas)
    for (const auto &warp : cta->warps) {
      LaneMask others = warp->live;
      for (const auto &strand : warp->strands)
        if (waitsOn(*strand, barrier))
          others &= ~strand->lanes;
      count += static_cast<uint32_t>(std::popcount(others));
    }
  return count;
}

} // namespace

std::string describeWaitOn(const Mbarrier &barrier, uint32_t parity) {
  const Cluster &cluster = barrier.cta->cluster;
  const uint32_t address =
      (barrier.cta->rank << sharedRankShift) + barrier.offset;
  std::string text =
      "waits for phase " + std::to_string(barrier.phase) + " (parity " +
      std::to_string(parity & 1) + ") of the mbarrier at " +
      cluster.describeShared(address) + " of " + barrier.cta->name() + ": " +
      std::to_string(barrier.arrivedCount) + " of " +
      plural(barrier.arrivedCount + barrier.pending, "arrival") + " and " +
      std::to_string(barrier.completedBytes) + " of " +
      plural(barrier.expectedBytes, "expected byte") + " have come";
  if (!barrier.recent.empty())
    text += "; in this phase: " + listed(cluster, barrier.recent);
  else if (!barrier.previous.empty())
    text += "; nothing in this phase, in the one before: " +
            listed(cluster, barrier.previous);
  return text;
}

namespace {

/// "the empty barrier of stage 0 of ... of CTA (0,0,0)".
std::string nameOf(const Mbarrier &barrier) {
  const Cluster &cluster = barrier.cta->cluster;
  const std::string place = cluster.describeShared(barrier.address());
  return (place.starts_with("the ") ? "" : "the mbarrier at ") + place +
         " of " + barrier.cta->name();
}

std::vector<const Warp *>
warpsWith(const Mbarrier &barrier,
          const std::function<bool(const Participant &)> &holds) {
  std::vector<const Warp *> result;
  for (const auto &cta : barrier.cta->cluster.ctas)
    for (const auto &warp : cta->warps)
      if (const Participant *each =
              participant(barrier, cta->linear, warp->index);
          each && holds(*each))
        result.push_back(warp.get());
  return result;
}

std::vector<const Warp *> warpsWaitingOn(const Mbarrier &barrier) {
  std::vector<const Warp *> result;
  for (const auto &cta : barrier.cta->cluster.ctas)
    for (const auto &warp : cta->warps)
      if (std::ranges::any_of(warp->strands, [&](const auto &strand) {
            return waitsOn(*strand, barrier);
          }))
        result.push_back(warp.get());
  return result;
}

/// The warps whose arrivals the phase lacks: those that arrived in earlier ones
/// or, where none did, those that pass the barrier at the stage's other side or
/// wait there.
std::vector<const Warp *> missingWarps(const Mbarrier &barrier,
                                       const Partner &partner) {
  auto result = warpsWith(barrier, [&](const Participant &each) {
    return each.arrivedIn && *each.arrivedIn != barrier.phase;
  });
  if (!result.empty() || !partner.barrier)
    return result;
  result = warpsWith(*partner.barrier, [&](const Participant &other) {
    const Participant *self = participant(barrier, other.cta, other.warp);
    return other.passed && (!self || self->arrivedIn != barrier.phase);
  });
  return result.empty() ? warpsWaitingOn(*partner.barrier) : result;
}

/// Which of the two barriers of a stage lacks the arrival, when threads wait on
/// both: full and empty phases of one number complete in turn.
enum class Turn : uint8_t { unknown, own, partners, ownFirstWait };

/// Whoever waits on the empty barrier has never been past it, and has filled
/// nothing.
bool isFirstWait(const Mbarrier &empty, const Mbarrier &full) {
  return empty.phase == 0 &&
         warpsWith(
             empty,
             [](const Participant &each) { return each.passed.has_value(); })
             .empty() &&
         full.recent.empty();
}

Turn turnOf(const Mbarrier &barrier, const Partner &partner) {
  const Mbarrier *other = partner.barrier;
  if (!other || !isWaitedOn(*other))
    return Turn::unknown;
  if (barrier.phase != other->phase)
    return barrier.phase < other->phase ? Turn::own : Turn::partners;
  if (!partner.isFull)
    return Turn::unknown;
  if (*partner.isFull)
    return isFirstWait(barrier, *other) ? Turn::ownFirstWait : Turn::partners;
  return isFirstWait(*other, barrier) ? Turn::partners : Turn::own;
}

/// "8 arrivals of 16 are missing".
std::string missingArrivals(const Mbarrier &barrier) {
  return plural(barrier.pending, "arrival") + " of " +
         std::to_string(barrier.arrivedCount + barrier.pending) +
         (barrier.pending == 1 ? " is" : " are") + " missing";
}

/// "role 'math', warp 0 of CTA (0,0,0) has passed its wait at gemm.cpp:39".
std::string passedWithout(const Partner &partner,
                          const std::vector<const Warp *> &missing) {
  if (missing.empty())
    return "";
  const Warp &warp = *missing.front();
  const Participant *at =
      participant(*partner.barrier, warp.cta.linear, warp.index);
  if (!at || !at->passedAt)
    return "";
  const std::string source = warp.cluster.launch.sourceOf(at->passedAt);
  return warp.who(-1) + " went on without arriving, after its wait at " +
         (source.empty() ? warp.cluster.launch.textOf(at->passedAt) : source);
}

Wait::Cause missingArrival(const Mbarrier &barrier) {
  using enum Wait::Cause::Likelihood;
  const Partner partner = partnerOf(barrier);
  Wait::Cause cause;
  cause.from = missingWarps(barrier, partner);
  cause.likelihood = someArrivals;
  if (barrier.arrivedCount == 0 && barrier.expectedBytes == 0)
    cause.likelihood = noArrival;
  cause.sentence = missingArrivals(barrier);
  const bool haveLeft =
      !cause.from.empty() &&
      std::ranges::all_of(cause.from, [](const Warp *w) { return !w->live; });
  if (haveLeft) {
    cause.likelihood = leftEarly;
    cause.sentence +=
        "; " + cause.from.front()->who(-1) +
        ", which should arrive, has exited: it arrives less often than is "
        "waited for" +
        (partner.isTold ? "" : ", or the wait is for the wrong parity");
    return cause;
  }
  switch (turnOf(barrier, partner)) {
  case Turn::own:
    cause.likelihood = wentPast;
    if (const std::string past = passedWithout(partner, cause.from);
        !past.empty()) {
      cause.sentence += "; " + past;
      return cause;
    }
    break;
  case Turn::ownFirstWait:
    cause.likelihood = wentPast;
    cause.sentence += ": nobody can arrive before the stage is filled for the "
                      "first time; the first wait should be for parity 1, "
                      "which passes at once";
    return cause;
  case Turn::partners:
    cause.likelihood = none;
    break;
  case Turn::unknown:
    break;
  }
  const bool haveOthersLeft = othersAlive(barrier) == 0;
  // No author chooses the parities of a pipeline's barriers.
  const bool mayBeParity = !haveOthersLeft || !partner.isTold;
  if (barrier.arrivedCount == 0 && barrier.expectedBytes == 0 &&
      barrier.phase == 0) {
    cause.sentence += ": nobody has ever arrived on it";
    if (mayBeParity)
      cause.sentence += ": an arrival is missing, or the first wait should be "
                        "for parity 1, which passes at once";
  } else if (barrier.arrivedCount == 0 && barrier.expectedBytes == 0) {
    cause.sentence += ": phase " + std::to_string(barrier.phase - 1) +
                      " (parity " + std::to_string((barrier.phase - 1) & 1) +
                      ") was the last to complete, and nobody arrives for the "
                      "next";
    if (mayBeParity)
      cause.sentence += ": the wait may be on the wrong parity, or the arrival "
                        "for this round is missing";
  } else if (barrier.phase == 0 && barrier.arrivedCount) {
    cause.sentence += ": the count given to mbarrier.init is higher than the "
                      "arrivals, or a thread does not arrive";
  } else if (barrier.phase == 0) {
    cause.sentence += ": a thread does not arrive, or at another barrier";
  } else {
    cause.sentence += ", though earlier phases had them all: a thread does not "
                      "arrive in this round";
  }
  if (haveOthersLeft) {
    cause.likelihood = leftEarly;
    cause.sentence +=
        "; all other threads of the cluster have exited: one that should "
        "arrive left early, or arrives less often than is waited for";
  }
  return cause;
}

} // namespace

Wait::Cause nearestCause(const Mbarrier &barrier, uint32_t parity) {
  using enum Wait::Cause::Likelihood;
  const int64_t missing = barrier.transactionBytes;
  const std::string bytes =
      std::to_string(barrier.expectedBytes) + " bytes are expected, " +
      std::to_string(barrier.completedBytes) + " were copied";
  const std::string name =
      nameOf(barrier) + " has " + std::to_string(barrier.arrivedCount) +
      " of " + plural(barrier.arrivedCount + barrier.pending, "arrival") +
      " in phase " + std::to_string(barrier.phase) + ": ";
  if (barrier.hasCompleted(parity))
    return {none, "the phase with this parity has completed: the wait can go "
                  "on"};
  if (barrier.pending == 0 && missing > 0)
    return {wrongBytes,
            name + bytes + ": " + plural(missing, "byte") +
                " never come; give expect_tx exactly the bytes of the copies "
                "that complete on this barrier, or issue the copy that is "
                "missing"};
  if (barrier.pending == 0)
    return {wrongBytes,
            name + bytes + ": " + plural(-missing, "byte") +
                " more than expected; raise the bytes given to expect_tx, or "
                "let the copy complete on its own barrier"};
  Wait::Cause cause = missingArrival(barrier);
  cause.sentence = name + cause.sentence;
  if (missing)
    cause.sentence += "; besides, " + bytes;
  return cause;
}

} // namespace ashlar::sim
