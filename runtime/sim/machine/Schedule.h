// The order in which warps run and asynchronous operations land, chosen by a
// seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace ashlar::sim {

/// Seed 0: warps in turn, each until it must wait; asynchronous operations
/// land as late as possible. Seed 1: operations land at once. Seed 2: the last
/// warp first, operations as late as possible. From 3 on: random.
class Schedule {
public:
  Schedule(uint64_t seed, uint64_t cluster);

  enum class Landing : uint8_t { lazy, eager, random };
  Landing landing() const { return when; }
  enum class Order : uint8_t { firstReady, lastReady, random };
  Order order() const { return warps; }
  /// Instructions that a warp may execute before another is chosen.
  uint32_t quantum();
  /// A number below `count` (which is positive).
  uint32_t choose(uint32_t count);
  /// True with the given chance.
  bool chance(double probability);
  std::mt19937_64 random;

private:
  Landing when = Landing::lazy;
  Order warps = Order::firstReady;
};

} // namespace ashlar::sim
