// barrier.cluster.arrive and barrier.cluster.wait.
#include "runtime/sim/instructions/barriers/Barrier.h"
#include "runtime/sim/machine/barriers/Barrier.h"

namespace ashlar::sim {

namespace {

struct ClusterArrive final : Instruction {
  bool release = true;
  Step execute(Warp &warp, LaneMask active) const override {
    arriveAtClusterBarrier(warp, active, release);
    return Step::next;
  }
};

struct ClusterWait final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    auto &arrivals = warp.state<ClusterBarrierArrivals>();
    const Cluster::Barrier &barrier = warp.cluster.barrier;
    if (const LaneMask strangers = active & ~arrivals.lanes)
      warp.stop(Finding::barrierMisuse,
                "a thread waits at the cluster barrier without having arrived "
                "at it: execute barrier.cluster.arrive before",
                "waits at it", std::countr_zero(strangers));
    bool open = false;
    forEachLane(active, [&](unsigned lane) {
      open |= arrivals.generation[lane] == barrier.generation;
    });
    if (open) {
      Wait wait;
      wait.version = &barrier.version;
      wait.describe = [cluster = &warp.cluster] {
        return describeClusterBarrier(*cluster);
      };
      wait.cause = [cluster = &warp.cluster] {
        return causeAtClusterBarrier(*cluster);
      };
      return warp.waitFor(std::move(wait));
    }
    arrivals.lanes &= ~active;
    warp.acquire(active, barrier.completed);
    return Step::next;
  }
};

} // namespace

// PTX ISA, "barrier.cluster": .release is what arrive does when nothing is
// said; wait acquires always.
Decoded decodeClusterBarrier(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  decoder.expectOperands(0);
  if (modifiers.take("arrive")) {
    auto made = std::make_unique<ClusterArrive>();
    decoder.traits.arrives = true;
    const bool aligned = decoder.takeAligned();
    made->release = modifiers.takeOneOf({"release", "relaxed"}) != 1;
    if (!aligned)
      decoder.takeAligned();
    return made;
  }
  if (!modifiers.take("wait"))
    decoder.refuse("barrier.cluster has .arrive and .wait only");
  const bool aligned = decoder.takeAligned();
  modifiers.take("acquire");
  if (!aligned)
    decoder.takeAligned();
  return std::make_unique<ClusterWait>();
}

} // namespace ashlar::sim
