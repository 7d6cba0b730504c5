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
        if (strand->blocked && strand->wait.version == &barrier.version)
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

Wait::Cause nearestCause(const Mbarrier &barrier, uint32_t parity) {
  using enum Wait::Cause::Likelihood;
  const int64_t missing = barrier.transactionBytes;
  const std::string bytes =
      std::to_string(barrier.expectedBytes) + " bytes are expected, " +
      std::to_string(barrier.completedBytes) + " were copied";
  if (barrier.hasCompleted(parity))
    return {none, "the phase with this parity has completed: the wait can go "
                  "on"};
  if (barrier.pending == 0 && missing > 0)
    return {wrongBytes,
            bytes + ": " + plural(missing, "byte") +
                " never come; give expect_tx exactly the bytes of the copies "
                "that complete on this barrier, or issue the copy that is "
                "missing"};
  if (missing < 0)
    return {wrongBytes,
            bytes + ": " + plural(-missing, "byte") +
                " more than expected; raise the bytes given to expect_tx, or "
                "let the copy complete on its own barrier"};
  const std::string left =
      othersAlive(barrier) == 0
          ? "; all other threads of the cluster have exited: one that should "
            "arrive left early"
          : "";
  if (barrier.arrivedCount == 0 && barrier.expectedBytes == 0) {
    if (barrier.phase == 0)
      return {noArrival,
              "nobody has ever arrived on it: an arrival is missing, or the "
              "first wait should be for parity 1, which passes at once" +
                  left};
    return {noArrival, "phase " + std::to_string(barrier.phase - 1) +
                           " (parity " +
                           std::to_string((barrier.phase - 1) & 1) +
                           ") was the last to complete, and nobody arrives for "
                           "the next: the wait may be on the wrong parity, or "
                           "the arrival for this round is missing" +
                           left};
  }
  std::string text = plural(barrier.pending, "arrival") + " of " +
                     std::to_string(barrier.arrivedCount + barrier.pending) +
                     (barrier.pending == 1 ? " is" : " are") + " missing";
  if (barrier.phase == 0)
    text += ": the count given to mbarrier.init is higher than the arrivals, "
            "or a thread does not arrive";
  else
    text += ", though earlier phases had them all: a thread does not arrive in "
            "this round";
  if (missing > 0)
    text += "; besides, " + bytes;
  return {someArrivals, text + left};
}

} // namespace ashlar::sim
