#include "runtime/sim/machine/barriers/Barrier.h"

#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <utility>

namespace ashlar::sim {

namespace {

using Use = NamedBarrier::Use;

bool isReduction(Use use) { return use != Use::sync && use != Use::arrive; }

const char *nameOf(Use use) {
  switch (use) {
  case Use::sync:
  case Use::arrive:
    return "sync and arrive";
  case Use::count:
    return "red.popc";
  case Use::conjunction:
    return "red.and";
  case Use::disjunction:
    return "red.or";
  }
  return "";
}

/// A finding with the lanes' site and that of an earlier arrival.
[[noreturn]] void stop(Warp &warp, const NamedBarrier &barrier, uint32_t id,
                       const std::string &sentence) {
  Report report;
  report.finding = Finding::barrierMisuse;
  report.sentence = sentence;
  report.sites.push_back(warp.site("arrives at barrier " + std::to_string(id)));
  for (const NamedBarrier::Arrival &arrival : barrier.arrivals)
    if (arrival.instruction != warp.current) {
      Accessor earlier;
      earlier.cta = warp.cta.linear;
      earlier.warp = arrival.warp;
      earlier.instruction = arrival.instruction;
      report.sites.push_back(
          warp.cluster.site(earlier, "arrived at it before"));
      break;
    }
  warp.cluster.launch.reporter.stop(std::move(report));
}

uint32_t wholeWarps(const Cta &cta) {
  return static_cast<uint32_t>(cta.warps.size()) * warpLanes;
}

/// Threads that count as arrived: a warp of which lanes arrived counts with
/// its lanes that don't exist or have exited, as it does on the hardware.
uint32_t arrivedThreads(const Cta &cta, const NamedBarrier &barrier) {
  int count = 0;
  for (size_t index = 0; index < barrier.arrived.size(); ++index)
    if (barrier.arrived[index])
      count += std::popcount(barrier.arrived[index] | ~cta.warps[index]->live);
  return static_cast<uint32_t>(count);
}

bool allArrived(const Cta &cta, const NamedBarrier &barrier) {
  for (size_t index = 0; index < cta.warps.size(); ++index)
    if (cta.warps[index]->live & ~barrier.arrived[index])
      return false;
  return true;
}

void completeIfAllArrived(Cta &cta, NamedBarrier &barrier) {
  barrier.arrivedThreads = arrivedThreads(cta, barrier);
  const bool done = barrier.everybody
                        ? allArrived(cta, barrier)
                        : barrier.arrivedThreads >= barrier.expectedThreads;
  if (!done)
    return;
  barrier.completed.join(barrier.published);
  barrier.published.clear();
  barrier.resultCount = barrier.count;
  barrier.resultConjunction = barrier.conjunction;
  barrier.resultDisjunction = barrier.disjunction;
  barrier.count = 0;
  barrier.conjunction = true;
  barrier.disjunction = false;
  barrier.previousThreads = barrier.expectedThreads;
  barrier.expectedThreads = barrier.arrivedThreads = 0;
  barrier.arrivals.clear();
  std::ranges::fill(barrier.arrived, 0);
  ++barrier.generation;
  ++barrier.version;
  cta.cluster.noteProgress();
}

/// The rules of PTX ISA, "barrier{.cta}, bar{.cta}".
void check(Warp &warp, LaneMask lanes, const NamedBarrier &barrier, uint32_t id,
           std::optional<uint32_t> count, Use use) {
  const std::string it = "barrier " + std::to_string(id);
  if (count && (*count == 0 || *count % warpLanes))
    stop(warp, barrier, id,
         "the thread count of " + it + " is " + std::to_string(*count) +
             ": it must be a positive multiple of the warp size, 32");
  const uint32_t expected = count.value_or(wholeWarps(warp.cta));
  if (expected > wholeWarps(warp.cta))
    stop(warp, barrier, id,
         it + " waits for " + std::to_string(expected) +
             " threads, and the CTA has " +
             std::to_string(wholeWarps(warp.cta)) + ": it can't complete");
  if (barrier.expectedThreads == 0)
    return;
  if (expected != barrier.expectedThreads)
    stop(warp, barrier, id,
         it + " is used with " + std::to_string(expected) +
             " threads while others wait at it with " +
             std::to_string(barrier.expectedThreads) +
             ": all must give the same count");
  if (isReduction(use) != isReduction(barrier.use) ||
      (isReduction(use) && use != barrier.use))
    stop(warp, barrier, id,
         it + " is used for " + nameOf(use) + " while others are at it for " +
             nameOf(barrier.use) + ": use barriers of different numbers");
  if (barrier.arrived[warp.index] & lanes)
    stop(warp, barrier, id,
         "threads arrive a second time at " + it +
             " before it has completed: wait (bar.sync) between, or use a "
             "barrier of another number");
  const LaneMask together = barrier.arrived[warp.index] | lanes;
  const int more =
      std::popcount(together | ~warp.live) -
      (barrier.arrived[warp.index]
           ? std::popcount(barrier.arrived[warp.index] | ~warp.live)
           : 0);
  if (!barrier.everybody &&
      barrier.arrivedThreads + static_cast<uint32_t>(more) >
          barrier.expectedThreads)
    stop(warp, barrier, id,
         "more threads arrive at " + it + " than the " +
             std::to_string(barrier.expectedThreads) + " that it waits for");
}

uint32_t liveThreads(const Cluster &cluster) {
  uint32_t count = 0;
  for (const auto &cta : cluster.ctas)
    count += cta->liveThreads;
  return count;
}

void completeClusterBarrierIfAllArrived(Cluster &cluster) {
  Cluster::Barrier &barrier = cluster.barrier;
  if (barrier.arrivedThreads == 0 ||
      barrier.arrivedThreads < liveThreads(cluster))
    return;
  barrier.arrivedThreads = 0;
  barrier.completed.join(barrier.published);
  barrier.published.clear();
  ++barrier.generation;
  ++barrier.version;
  cluster.noteProgress();
}

} // namespace

void arriveAtBarrier(Warp &warp, LaneMask lanes, uint32_t id,
                     std::optional<uint32_t> count, Use use,
                     LaneMask predicates) {
  Cta &cta = warp.cta;
  if (id >= cta.barriers.size()) {
    warp.stop(Finding::barrierMisuse,
              "there is no barrier " + std::to_string(id) +
                  ": their numbers are 0 to 15",
              "arrives at it");
  }
  NamedBarrier &barrier = cta.barriers[id];
  if (barrier.arrived.empty()) {
    barrier.arrived.resize(cta.warps.size());
    barrier.published = barrier.completed = Causality(warp.cluster.index);
  }
  check(warp, lanes, barrier, id, count, use);
  if (barrier.expectedThreads == 0) {
    barrier.expectedThreads = count.value_or(wholeWarps(cta));
    barrier.everybody = false;
    barrier.use = use;
  }
  barrier.everybody |= !count;
  barrier.arrivals.push_back({warp.index, warp.current});
  barrier.arrived[warp.index] |= lanes;
  barrier.count += static_cast<uint32_t>(std::popcount(predicates & lanes));
  barrier.conjunction &= (predicates & lanes) == lanes;
  barrier.disjunction |= (predicates & lanes) != 0;
  warp.release(lanes, barrier.published);
  completeIfAllArrived(cta, barrier);
}

std::string describeBarrier(const Cta &cta, uint32_t id) {
  const NamedBarrier &barrier = cta.barriers[id];
  std::string arrived, missing;
  for (size_t index = 0; index < barrier.arrived.size(); ++index) {
    const LaneMask live = cta.warps[index]->live;
    if (barrier.arrived[index])
      arrived += (arrived.empty() ? "" : ", ") + std::to_string(index);
    else if (live)
      missing += (missing.empty() ? "" : ", ") + std::to_string(index);
  }
  std::string text = "waits at barrier " + std::to_string(id) + " of " +
                     cta.name() + ": " +
                     std::to_string(barrier.arrivedThreads) + " of " +
                     std::to_string(barrier.expectedThreads) +
                     " threads have arrived; warps that have: " + arrived;
  if (!missing.empty())
    text += "; that have not: " + missing;
  if (barrier.previousThreads &&
      barrier.previousThreads != barrier.expectedThreads)
    text += "; its round before completed with " +
            std::to_string(barrier.previousThreads) +
            " threads: one of the counts may be wrong";
  return text;
}

/// Whether lanes of one of the warps look at memory until it changes: what
/// waits for these follows from that, though whoever waits could signal it
/// behind.
static bool isAnyPolling(const std::vector<const Warp *> &warps) {
  return std::ranges::any_of(warps, [](const Warp *warp) {
    return std::ranges::any_of(warp->strands, [](const auto &strand) {
      return strand->lanes && strand->spinning;
    });
  });
}

/// Whether lanes of a warp wait at a barrier, having arrived at it.
static bool waitsAt(const NamedBarrier &barrier, const Warp &warp) {
  return std::ranges::any_of(barrier.arrivals, [&](const auto &arrival) {
    return arrival.warp == warp.index &&
           std::ranges::any_of(warp.strands, [&](const auto &strand) {
             return strand->lanes && strand->blocked &&
                    strand->function->body[strand->at].get() ==
                        arrival.instruction;
           });
  });
}

/// Of the warps those that wait at another barrier, and the first such barrier:
/// they are more likely to be missing than warps that wait for memory.
static std::pair<std::vector<const Warp *>, size_t>
atAnotherBarrier(const Cta &cta, const std::vector<const Warp *> &warps) {
  std::pair<std::vector<const Warp *>, size_t> found;
  for (const Warp *warp : warps)
    for (size_t id = 0; id < cta.barriers.size(); ++id)
      if (waitsAt(cta.barriers[id], *warp)) {
        if (found.first.empty())
          found.second = id;
        found.first.push_back(warp);
        break;
      }
  return found;
}

Wait::Cause causeAtBarrier(const Cta &cta, uint32_t id) {
  const NamedBarrier &barrier = cta.barriers[id];
  Wait::Cause cause;
  cause.likelihood = Wait::Cause::someArrivals;
  cause.sentence = "barrier " + std::to_string(id) + " of " + cta.name() +
                   " has " + std::to_string(barrier.arrivedThreads) + " of " +
                   std::to_string(barrier.expectedThreads) + " threads";
  for (size_t index = 0; index < cta.warps.size(); ++index)
    if (cta.warps[index]->live & ~barrier.arrived[index])
      cause.from.push_back(cta.warps[index].get());
  if (const auto [elsewhere, other] = atAnotherBarrier(cta, cause.from);
      !elsewhere.empty()) {
    cause.from = elsewhere;
    cause.sentence += ", and " + elsewhere.front()->who(-1) +
                      " waits at barrier " + std::to_string(other) +
                      ": roles come to barriers in different orders, or one "
                      "comes to a barrier more often than the other";
    return cause;
  }
  if (cause.from.empty()) {
    cause.likelihood = Wait::Cause::leftEarly;
    cause.sentence +=
        barrier.generation
            ? ", and all that are left have arrived: an earlier round may have "
              "completed without them, with a count that is too low, or others "
              "exited before they came to it"
            : ", and all that are left have arrived: its count is too high, or "
              "threads exited before they came to it";
  } else {
    if (isAnyPolling(cause.from))
      cause.likelihood = Wait::Cause::none;
    cause.sentence +=
        ": its count is too high, or threads wait elsewhere that should come";
  }
  return cause;
}

void arriveAtClusterBarrier(Warp &warp, LaneMask lanes, bool release) {
  auto &arrivals = warp.state<ClusterBarrierArrivals>();
  Cluster &cluster = warp.cluster;
  Cluster::Barrier &barrier = cluster.barrier;
  if (const LaneMask twice = arrivals.lanes & lanes)
    warp.stop(Finding::barrierMisuse,
              "a thread arrives twice at the cluster barrier: execute "
              "barrier.cluster.wait between the two arrivals",
              "arrives at it", std::countr_zero(twice));
  arrivals.lanes |= lanes;
  forEachLane(lanes, [&](unsigned lane) {
    arrivals.generation[lane] = barrier.generation;
  });
  if (barrier.published.base.empty())
    barrier.published = Causality(cluster.index);
  if (barrier.generation == 0 && barrier.arrivedThreads == 0)
    barrier.completed = Causality(cluster.index);
  if (release)
    warp.release(lanes, barrier.published);
  else
    warp.releaseRelaxed(lanes, barrier.published);
  barrier.arrivedThreads += static_cast<uint32_t>(std::popcount(lanes));
  completeClusterBarrierIfAllArrived(cluster);
}

static std::vector<const Warp *> missingWarps(const Cluster &cluster) {
  std::vector<const Warp *> missing;
  for (const auto &cta : cluster.ctas)
    for (const auto &warp : cta->warps) {
      const auto &arrivals = warp->state<ClusterBarrierArrivals>();
      LaneMask absent = warp->live & ~arrivals.lanes;
      forEachLane(arrivals.lanes & warp->live, [&](unsigned lane) {
        if (arrivals.generation[lane] != cluster.barrier.generation)
          absent |= LaneMask(1) << lane;
      });
      if (absent)
        missing.push_back(warp.get());
    }
  return missing;
}

Wait::Cause causeAtClusterBarrier(const Cluster &cluster) {
  Wait::Cause cause;
  cause.likelihood = Wait::Cause::someArrivals;
  cause.sentence = "the cluster barrier has " +
                   std::to_string(cluster.barrier.arrivedThreads) + " of " +
                   std::to_string(liveThreads(cluster)) +
                   " threads: the others wait elsewhere";
  cause.from = missingWarps(cluster);
  return cause;
}

std::string describeClusterBarrier(const Cluster &cluster) {
  std::string missing;
  for (const Warp *warp : missingWarps(cluster))
    missing += (missing.empty() ? "" : "; ") + warp->who();
  return "waits at the cluster barrier: " +
         std::to_string(cluster.barrier.arrivedThreads) + " of " +
         std::to_string(liveThreads(cluster)) +
         " threads have arrived; missing: " + missing;
}

void noteExit(Warp &warp, LaneMask lanes) {
  for (NamedBarrier &barrier : warp.cta.barriers)
    if (barrier.expectedThreads)
      completeIfAllArrived(warp.cta, barrier);
  Cluster::Barrier &barrier = warp.cluster.barrier;
  auto &arrivals = warp.state<ClusterBarrierArrivals>();
  forEachLane(lanes & arrivals.lanes, [&](unsigned lane) {
    if (arrivals.generation[lane] == barrier.generation)
      --barrier.arrivedThreads;
  });
  arrivals.lanes &= ~lanes;
  completeClusterBarrierIfAllArrived(warp.cluster);
}

} // namespace ashlar::sim
