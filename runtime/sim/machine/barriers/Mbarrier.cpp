#include "runtime/sim/machine/barriers/Mbarrier.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr size_t maxEvents = 32;

uint32_t sharedAddress(const Cta &cta, uint32_t offset) {
  return (cta.rank << sharedRankShift) + offset;
}

std::string at(const Mbarrier &barrier) {
  return "the mbarrier at " + barrier.cta->cluster.describeShared(
                                  sharedAddress(*barrier.cta, barrier.offset));
}

std::string times(int64_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// A finding with the use and, where there is a barrier, its initialisation.
Report misuse(Cluster &cluster, const Mbarrier *barrier, const Accessor &by,
              const std::string &did, std::string sentence,
              Finding finding = Finding::mbarrierMisuse) {
  Report report;
  report.finding = finding;
  report.sentence = std::move(sentence);
  // A missing fence is: the barrier works here as if it were there.
  report.isHarmless = finding == Finding::missingProxyFence;
  report.sites.push_back(cluster.site(by, did));
  if (barrier && barrier->initialisedBy.instruction &&
      barrier->initialisedBy.instruction != by.instruction)
    report.sites.push_back(
        cluster.site(barrier->initialisedBy, "initialised it"));
  return report;
}

void add(const Mbarrier &barrier, const Accessor &by, const std::string &did,
         std::string sentence, Finding finding = Finding::mbarrierMisuse) {
  Cluster &cluster = barrier.cta->cluster;
  cluster.launch.reporter.add(
      misuse(cluster, &barrier, by, did, std::move(sentence), finding));
}

[[noreturn]] void stop(const Mbarrier &barrier, const Accessor &by,
                       const std::string &did, std::string sentence) {
  Cluster &cluster = barrier.cta->cluster;
  cluster.launch.reporter.stop(
      misuse(cluster, &barrier, by, did, std::move(sentence)));
}

void remember(Mbarrier &barrier, Mbarrier::Event::Kind kind, int64_t amount,
              const Accessor &by) {
  if (barrier.recent.size() == maxEvents)
    barrier.recent.erase(barrier.recent.begin());
  barrier.recent.push_back({kind, amount, by});
  barrier.recent.back().by.causality = nullptr;
}

void changed(Mbarrier &barrier) {
  ++barrier.version;
  barrier.cta->cluster.noteProgress();
}

/// Whether the thread has arrived in the current phase.
bool hasArrived(const Mbarrier &barrier, const Accessor &by) {
  return std::ranges::any_of(barrier.recent, [&](const auto &event) {
    return event.kind == Mbarrier::Event::Kind::arrival &&
           event.by.cta == by.cta && event.by.warp == by.warp &&
           event.by.lane == by.lane;
  });
}

/// The barrier that gives back what is filled under this one, if it has
/// completed more phases than who fills has waited for; else null.
const Mbarrier *givenBackEarly(const Mbarrier &barrier, const Accessor &by) {
  const Partner partner = partnerOf(barrier);
  if (!partner.barrier || partner.isFull == true)
    return nullptr;
  const Participant *filler = participant(*partner.barrier, by.cta, by.warp);
  // Who waits from the first round on has it given back once before.
  const uint32_t before = filler && filler->passedAtStart ? 0 : 1;
  return partner.barrier->phase > barrier.phase + before ? partner.barrier
                                                         : nullptr;
}

[[noreturn]] void stopGivenBackEarly(const Mbarrier &barrier,
                                     const Mbarrier &empty,
                                     const Accessor &by) {
  Report report = misuse(
      barrier.cta->cluster, &empty, by, "arrives on " + at(barrier),
      at(empty) + " completes too early: its count is " +
          std::to_string(empty.expected) + ", and it has completed " +
          times(empty.phase, "phase") +
          " while what it gives back was filled " +
          times(barrier.phase, "time") +
          ": more arrive in each round than are counted; raise the count that "
          "mbarrier.init gives it, or let fewer threads arrive. So " +
          at(barrier) + " gets an arrival for a phase that has them all");
  empty.cta->cluster.launch.reporter.stop(std::move(report));
}

/// Why the barrier can't be given up or made anew now; "" if it can.
std::string inFlight(const Mbarrier &barrier) {
  if (isWaitedOn(barrier))
    return "threads wait on it";
  if (barrier.transactionBytes > 0)
    return times(barrier.transactionBytes, "expected byte") +
           " of its current phase have not landed";
  if (barrier.arrivedCount > 0)
    return "its current phase has " + times(barrier.arrivedCount, "arrival") +
           " of " + std::to_string(barrier.expected);
  return "";
}

[[noreturn]] void stopNowhere(Cluster &cluster, Cta &cta, uint32_t offset,
                              const Accessor &by, const std::string &did) {
  std::string sentence = "there is no mbarrier at " +
                         cluster.describeShared(sharedAddress(cta, offset)) +
                         ": it was not initialised, or has been invalidated";
  const Mbarrier *near = nullptr;
  for (const auto &[where, barrier] : cta.mbarriers)
    if (!near || std::abs(int64_t(where) - offset) <
                     std::abs(int64_t(near->offset) - offset))
      near = &barrier;
  sentence += near ? "; the nearest one is " + at(*near)
                   : "; " + cta.name() + " has none at this time";
  sentence += ". Execute mbarrier.init for it before, and order it before "
              "this use by a barrier";
  cluster.launch.reporter.stop(misuse(cluster, near, by, did, sentence));
}

/// The initialisation must happen before the use, and for the asynchronous
/// proxy a fence must have carried it over (PTX ISA, "Async proxy").
void checkInitialisationVisible(Mbarrier &barrier, const Accessor &by,
                                const std::string &did) {
  const Accessor &init = barrier.initialisedBy;
  if (!by.causality)
    return;
  const bool own = by.agent == init.agent && by.lane == init.lane;
  const bool byClusterBarrier =
      barrier.isFenced &&
      barrier.cta->cluster.barrier.generation > barrier.fencedAtGeneration;
  if (!own && !byClusterBarrier &&
      !by.causality->base.covers(init.agent, init.epoch, init.lane)) {
    add(barrier, by, did,
        at(barrier) +
            " is used without being ordered after its "
            "initialisation: put " +
            (by.cta == init.cta && barrier.cta->cluster.ctas.size() == 1
                 ? std::string("a barrier (bar.sync; within a warp "
                               "bar.warp.sync)")
                 : std::string("fence.mbarrier_init.release.cluster and a "
                               "cluster barrier (barrier.cluster.arrive and "
                               "wait)")) +
            " between mbarrier.init and this");
    // Once is enough: from here on all uses count as ordered.
    barrier.initialisedBy.epoch = 0;
    return;
  }
  if (!by.asynchronous || barrier.visibleToAsynchronous ||
      by.causality->asynchronous.covers(init.agent, init.epoch, init.lane))
    return;
  add(barrier, by, did,
      "the initialisation of " + at(barrier) +
          " is not visible to the asynchronous proxy: let the thread that "
          "initialises it execute fence.mbarrier_init.release.cluster or "
          "fence.proxy.async after mbarrier.init",
      Finding::missingProxyFence);
  barrier.visibleToAsynchronous = true;
}

void checkAligned(Cluster &cluster, Cta &cta, uint32_t offset,
                  const Accessor &by, const std::string &did) {
  if (offset % Mbarrier::sizeBytes)
    cluster.launch.reporter.stop(misuse(
        cluster, nullptr, by, did,
        "an mbarrier must lie at a multiple of 8 bytes; " +
            cluster.describeShared(sharedAddress(cta, offset)) + " is not"));
}

} // namespace

bool isWaitedOn(const Mbarrier &barrier) {
  for (const auto &cta : barrier.cta->cluster.ctas)
    for (const auto &warp : cta->warps)
      for (const auto &strand : warp->strands)
        if (waitsOn(*strand, barrier))
          return true;
  return false;
}

uint32_t Mbarrier::address() const { return sharedAddress(*cta, offset); }

bool Mbarrier::completeIfDone() {
  if (pending != 0 || transactionBytes != 0)
    return false;
  ++phase;
  pending = expected;
  completed.join(arrived);
  completed.base.learn(agent, {.all = phase, .top = phase, .ahead = 0});
  arrived.clear();
  arrivedCount = 0;
  previousExpectedBytes = expectedBytes;
  expectedBytes = completedBytes = 0;
  previous.swap(recent);
  recent.clear();
  return true;
}

Mbarrier &useMbarrier(Cluster &cluster, uint32_t address, const Accessor &by,
                      const std::string &did) {
  Cta *cta = cluster.ctaOfShared(address);
  const uint32_t offset = address & ((1u << sharedRankShift) - 1);
  if (!cta)
    cluster.launch.reporter.stop(misuse(
        cluster, nullptr, by, did,
        "the shared::cluster address " + std::to_string(address) +
            " names CTA rank " + std::to_string(address >> sharedRankShift) +
            " of a cluster of " + std::to_string(cluster.ctas.size())));
  checkAligned(cluster, *cta, offset, by, did);
  if (cta->exited() && cta->linear != by.cta) {
    Report report =
        misuse(cluster, nullptr, by, did,
               "the mbarrier belongs to " + cta->name() +
                   ", which has exited: let it wait for what its peers do to "
                   "it, or for a cluster barrier, before it returns",
               Finding::exitedPeer);
    cluster.launch.reporter.stop(std::move(report));
  }
  auto found = cta->mbarriers.find(offset);
  if (found == cta->mbarriers.end())
    stopNowhere(cluster, *cta, offset, by, did);
  checkInitialisationVisible(found->second, by, did);
  return found->second;
}

void initialiseMbarrier(Cta &cta, uint32_t offset, uint32_t count,
                        const Accessor &by) {
  const std::string did = "initialises it";
  Cluster &cluster = cta.cluster;
  checkAligned(cluster, cta, offset, by, did);
  if (count == 0 || count > Mbarrier::maxCount)
    cluster.launch.reporter.stop(
        misuse(cluster, nullptr, by, did,
               "the count of an mbarrier is 1 to 1048575; " +
                   std::to_string(count) + " is given"));
  auto found = cta.mbarriers.find(offset);
  if (found != cta.mbarriers.end()) {
    const Mbarrier &old = found->second;
    const std::string reason = inFlight(old);
    if (!reason.empty())
      stop(old, by, "initialises it again",
           at(old) + " is initialised again while it is in use (" + reason +
               "): wait for its last phase, then mbarrier.inval, then init");
    add(old, by, "initialises it again",
        at(old) + " is initialised twice: PTX leaves it undefined unless it "
                  "was invalidated; execute mbarrier.inval before");
    cta.mbarriers.erase(found);
  }
  // The object is opaque to the program: its bytes are written so that other
  // accesses of them race with this.
  const uint64_t opaque = 0;
  cluster.write({cta.shared.get(), offset}, sizeof(opaque), by, &opaque,
                "mbarrier.init writes");
  Mbarrier &barrier = cta.mbarriers[offset];
  barrier.cta = &cta;
  barrier.offset = offset;
  barrier.expected = barrier.pending = count;
  barrier.agent = cluster.newAgent();
  barrier.arrived = barrier.completed = Causality(cluster.index);
  barrier.initialisedBy = by;
  barrier.initialisedBy.causality = nullptr;
}

void invalidateMbarrier(Cta &cta, uint32_t offset, const Accessor &by) {
  const std::string did = "invalidates it";
  Cluster &cluster = cta.cluster;
  Mbarrier &barrier = useMbarrier(cluster, sharedAddress(cta, offset), by, did);
  const std::string reason = inFlight(barrier);
  if (!reason.empty())
    stop(barrier, by, did,
         at(barrier) + " is invalidated while it is in use (" + reason +
             "): wait for its last phase before");
  const uint64_t opaque = 0;
  cluster.write({cta.shared.get(), offset}, sizeof(opaque), by, &opaque,
                "mbarrier.inval writes");
  cta.mbarriers.erase(offset);
}

uint64_t arrive(Mbarrier &barrier, const Accessor &by, uint32_t count,
                bool drop, bool noComplete) {
  const uint64_t state = MbarrierToken(barrier).state();
  if (count == 0 || count > Mbarrier::maxCount)
    stop(barrier, by, "arrives on it",
         "the count of an arrival is 1 to 1048575; " + std::to_string(count) +
             " is given");
  if (count > barrier.pending)
    if (const Mbarrier *empty = givenBackEarly(barrier, by))
      stopGivenBackEarly(barrier, *empty, by);
  if (count > barrier.pending)
    stop(barrier, by, "arrives on it",
         at(barrier) + " gets " + times(count, "arrival") + " while phase " +
             std::to_string(barrier.phase) + " lacks " +
             std::to_string(barrier.pending) + " of its " +
             std::to_string(barrier.expected) + ": " +
             (hasArrived(barrier, by)
                  ? "the thread has arrived in this phase before, and has not "
                    "waited for the phase to complete and for what it gives to "
                    "be used: that wait is missing, or its parity does not flip"
                  : "more arrive than the count that mbarrier.init gave; raise "
                    "it, or let fewer threads arrive"));
  if (drop && count > barrier.expected)
    stop(barrier, by, "arrives on it and drops out",
         at(barrier) + " expects " + times(barrier.expected, "arrival") + "; " +
             std::to_string(count) + " can't be dropped");
  remember(barrier,
           drop ? Mbarrier::Event::Kind::drop : Mbarrier::Event::Kind::arrival,
           count, by);
  if (drop)
    barrier.expected -= count;
  barrier.pending -= count;
  barrier.arrivedCount += count;
  if (noComplete && barrier.pending == 0)
    add(barrier, by, "arrives on it",
        "an arrival with .noComplete is the last of phase " +
            std::to_string(barrier.phase) + " of " + at(barrier) +
            ", which PTX leaves undefined: leave .noComplete out, or arrive "
            "with a lower count");
  barrier.completeIfDone();
  changed(barrier);
  return state;
}

void expectTransactions(Mbarrier &barrier, const Accessor &by, int64_t bytes) {
  const std::string did = "expects " + std::to_string(bytes) + " bytes on it";
  if (bytes < 0 || bytes > Mbarrier::maxTransactions)
    stop(barrier, by, did,
         "expect-tx takes 0 to 1048575 bytes; " + std::to_string(bytes) +
             " are given");
  if (barrier.transactionBytes + bytes > Mbarrier::maxTransactions)
    stop(barrier, by, did,
         "the transaction count of " + at(barrier) + " grows beyond 1048575: " +
             std::to_string(barrier.transactionBytes + bytes) +
             " bytes would be outstanding in one phase; use more barriers");
  remember(barrier, Mbarrier::Event::Kind::expect, bytes, by);
  barrier.transactionBytes += bytes;
  barrier.expectedBytes += bytes;
  barrier.completeIfDone();
  changed(barrier);
}

void completeTransactions(Mbarrier &barrier, const Accessor &by,
                          int64_t bytes) {
  const std::string did = "completes " + std::to_string(bytes) + " bytes on it";
  if (bytes < 0 || bytes > Mbarrier::maxTransactions ||
      barrier.transactionBytes - bytes < -Mbarrier::maxTransactions)
    stop(barrier, by, did,
         "the transaction count of " + at(barrier) + " falls below -1048575: " +
             std::to_string(bytes - barrier.transactionBytes) +
             " bytes more have landed than were expected; give expect_tx all "
             "bytes of the copies that complete on it");
  remember(barrier, Mbarrier::Event::Kind::complete, bytes, by);
  barrier.transactionBytes -= bytes;
  barrier.completedBytes += bytes;
  barrier.completeIfDone();
  changed(barrier);
}

void addPending(Mbarrier &barrier, const Accessor &by, uint32_t count) {
  if (barrier.pending + count > Mbarrier::maxCount)
    stop(barrier, by, "adds an arrival to it",
         "the pending count of " + at(barrier) + " grows beyond 1048575");
  barrier.pending += count;
  changed(barrier);
}

void fenceInitialisations(Cta &cta, uint32_t warp, LaneMask lanes) {
  for (auto &[offset, barrier] : cta.mbarriers)
    if (barrier.initialisedBy.warp == warp &&
        (lanes >> barrier.initialisedBy.lane & 1) && !barrier.isFenced) {
      barrier.visibleToAsynchronous = barrier.isFenced = true;
      barrier.fencedAtGeneration = cta.cluster.barrier.generation;
    }
}

} // namespace ashlar::sim
