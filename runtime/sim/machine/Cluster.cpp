// How a cluster runs: which warp goes on, and when asynchronous operations do.
#include "runtime/sim/machine/Cluster.h"

#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Traffic.h"
#include "runtime/sim/machine/WarpRunner.h"
#include "runtime/sim/machine/memory/StageRounds.h"

#include <algorithm>

namespace ashlar::sim {

Cta::Cta(Cluster &cluster, uint32_t rank, uint32_t linear, uint32_t x,
         uint32_t y, uint32_t z)
    : cluster(cluster), rank(rank), linear(linear), x(x), y(y), z(z) {
  const Launch &launch = cluster.launch;
  const ptx::Dimensions &block = launch.shape.block;
  liveThreads = block.x * block.y * block.z;
  shared = std::make_unique<MemoryBlock>(
      MemoryBlock::Kind::shared, "shared memory", 0,
      launch.kernel.shared.dynamicBegin + launch.shape.dynamicSharedBytes,
      true);
  shared->cta = linear;
  if (!launch.notes.rings.empty())
    shared->stages = std::make_shared<StageRounds>(*this);
  local.resize(liveThreads);
}

std::string Cta::name() const {
  return "CTA (" + std::to_string(x) + "," + std::to_string(y) + "," +
         std::to_string(z) + ")";
}

// Clusters are counted with x fastest, and so are CTAs in one.
Cluster::Cluster(Launch &launch, uint32_t index)
    : launch(launch), index(index), schedule(launch.options.seed, index) {
  if (launch.options.traffic)
    traffic = std::make_unique<Traffic>();
  const ptx::Dimensions &grid = launch.shape.grid, &size = launch.shape.cluster;
  const uint32_t clustersX = grid.x / size.x, clustersY = grid.y / size.y;
  const uint32_t originX = index % clustersX * size.x;
  const uint32_t originY = index / clustersX % clustersY * size.y;
  const uint32_t originZ = index / clustersX / clustersY * size.z;
  const ptx::Dimensions &block = launch.shape.block;
  const uint32_t threads = block.x * block.y * block.z;
  uint32_t rank = 0;
  for (uint32_t z = 0; z < size.z; ++z)
    for (uint32_t y = 0; y < size.y; ++y)
      for (uint32_t x = 0; x < size.x; ++x, ++rank) {
        const uint32_t ctaX = originX + x, ctaY = originY + y,
                       ctaZ = originZ + z;
        ctas.push_back(std::make_unique<Cta>(
            *this, rank, ctaX + grid.x * (ctaY + grid.y * ctaZ), ctaX, ctaY,
            ctaZ));
      }
  for (auto &cta : ctas)
    for (uint32_t first = 0; first < threads; first += warpLanes) {
      cta->warps.push_back(
          std::make_unique<Warp>(*cta, first / warpLanes, threads - first,
                                 launch.program, launch.kernel));
      warps.push_back(cta->warps.back().get());
    }
}

Cluster::~Cluster() {
  countInstructions();
  if (traffic) {
    traffic->instructions = told;
    launch.addTraffic(*traffic);
  }
}

void Cluster::countInstructions() {
  const uint64_t instructions = clock - otherTicks;
  launch.addInstructions(instructions - told);
  told = instructions;
}

void Cluster::noteProgress() {
  ++changes;
  launch.changes.fetch_add(1, std::memory_order_relaxed);
}

void Cluster::issue(std::shared_ptr<AsynchronousOperation> operation) {
  operations.push_back(std::move(operation));
  noteProgress();
}

void Cluster::proceed(AsynchronousOperation &operation) {
  operation.done = operation.done || operation.proceed(*this, schedule.random);
  noteProgress();
}

/// Lets the oldest operation, or by chance another, do a part; what somebody
/// else has finished is only forgotten.
void Cluster::proceedOne() {
  auto chosen = operations.begin();
  if (schedule.landing() == Schedule::Landing::random)
    std::advance(chosen,
                 schedule.choose(static_cast<uint32_t>(operations.size())));
  auto operation = *chosen;
  if (!operation->done)
    proceed(*operation);
  if (operation->done)
    operations.erase(chosen);
}

void Cluster::finishOperations() {
  while (!operations.empty())
    proceedOne();
}

/// What the schedule has land before the next warp goes on.
void Cluster::landOperations() {
  while (!operations.empty() && operations.front()->done)
    operations.pop_front();
  switch (schedule.landing()) {
  case Schedule::Landing::lazy:
    break;
  case Schedule::Landing::eager:
    finishOperations();
    break;
  case Schedule::Landing::random:
    while (!operations.empty() && schedule.chance(0.5))
      proceedOne();
    break;
  }
}

Warp *Cluster::chooseWarp() {
  const auto count = static_cast<uint32_t>(warps.size());
  uint32_t first = 0;
  switch (schedule.order()) {
  case Schedule::Order::firstReady:
    first = lastWarp;
    break;
  case Schedule::Order::lastReady:
    for (uint32_t i = count; i-- > 0;)
      if (warps[i]->live && WarpRunner(*warps[i]).canRun())
        return warps[i];
    return nullptr;
  case Schedule::Order::random:
    first = schedule.choose(count);
    break;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = (first + i) % count;
    if (warps[index]->live && WarpRunner(*warps[index]).canRun()) {
      lastWarp = index + 1;
      return warps[index];
    }
  }
  return nullptr;
}

/// Lets waits time out; false when there is none, or when they have done so
/// again and again and nothing came of it.
bool Cluster::expireWaits() {
  constexpr uint32_t maxExpiries = 64;
  if (changes != changesAtExpiry) {
    changesAtExpiry = changes;
    expiries = 0;
  }
  if (++expiries > maxExpiries)
    return false;
  constexpr uint64_t ticks = 1000; // time passes while all wait
  clock += ticks;
  otherTicks += ticks;
  bool any = false;
  for (Warp *warp : warps)
    if (warp->live)
      any |= WarpRunner(*warp).expire();
  return any;
}

bool Cluster::anySpinning() const {
  for (const Warp *warp : warps)
    for (const auto &strand : warp->strands)
      if (strand->spinning)
        return true;
  return false;
}

/// How many instructions the next warp may execute. Ends the launch when the
/// cluster has executed as many as it may.
uint32_t Cluster::nextQuantum() {
  const uint64_t most = launch.options.maxInstructions;
  const uint32_t quantum = schedule.quantum();
  if (most == 0)
    return quantum;
  if (executed >= most) {
    Report report;
    report.sentence = "more than " + std::to_string(most) +
                      " instructions are executed: does a loop not end?";
    launch.reporter.stop(std::move(report));
  }
  return static_cast<uint32_t>(std::min<uint64_t>(quantum, most - executed));
}

Cluster::Outcome Cluster::run(uint64_t budget) {
  const uint64_t end = clock + budget;
  // Between two looks at the clock of the host.
  constexpr uint64_t maxTurns = 64, maxTicks = 1 << 15;
  uint64_t looked = clock;
  for (uint64_t turn = 1; clock < end; ++turn) {
    if (turn % maxTurns == 0 || clock - looked >= maxTicks) {
      looked = clock;
      countInstructions();
      if (launch.isOver())
        break;
    }
    const bool done = std::all_of(ctas.begin(), ctas.end(),
                                  [](auto &cta) { return cta->exited(); });
    if (done) {
      finishOperations();
      return Outcome::finished;
    }
    landOperations();
    if (Warp *warp = chooseWarp()) {
      const uint64_t before = warp->executed;
      WarpRunner(*warp).run(nextQuantum(),
                            schedule.order() == Schedule::Order::random);
      executed += warp->executed - before;
      continue;
    }
    if (!operations.empty()) {
      proceedOne();
      continue;
    }
    if (expireWaits())
      continue;
    if (!anySpinning()) {
      Cluster *const self = this;
      reportDeadlock(launch, {&self, 1});
    }
    return Outcome::stalled;
  }
  return Outcome::paused;
}

} // namespace ashlar::sim
