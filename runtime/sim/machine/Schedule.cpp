#include "runtime/sim/machine/Schedule.h"

namespace ashlar::sim {

Schedule::Schedule(uint64_t seed, uint64_t cluster)
    : random(seed * 0x9e3779b97f4a7c15 + cluster) {
  if (seed == 0)
    return;
  if (seed == 1) {
    when = Landing::eager;
  } else if (seed == 2) {
    warps = Order::lastReady;
  } else {
    when = static_cast<Landing>(random() % 3);
    warps = random() % 4 ? Order::random : Order::lastReady;
  }
}

uint32_t Schedule::quantum() {
  constexpr uint32_t untilItWaits = 1u << 16;
  if (warps != Order::random)
    return untilItWaits;
  return 1 + static_cast<uint32_t>(random() % 64);
}

uint32_t Schedule::choose(uint32_t count) {
  return static_cast<uint32_t>(random() % count);
}

bool Schedule::chance(double probability) {
  return static_cast<double>(random() >> 11) * 0x1p-53 < probability;
}

} // namespace ashlar::sim
