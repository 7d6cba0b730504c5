// The life of a warp: its registers at the start, values of operands.
#include "runtime/sim/machine/Warp.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Program.h"
#include "runtime/sim/machine/races/Ordering.h"

#include <cstring>

namespace ashlar::sim {

namespace {

LaneMask firstLanes(uint32_t count) {
  return count >= warpLanes ? allLanes : (LaneMask(1) << count) - 1;
}

} // namespace

Warp::Warp(Cta &cta, uint32_t index, uint32_t threads, const Program &program,
           const Function &kernel)
    : cta(cta), cluster(cta.cluster), index(index),
      existing(firstLanes(threads)), live(existing),
      registerBytes(program.registerBytes) {
  constexpr size_t alignment = 64;
  registerStorage = zeroBytes(program.registerBytes + alignment);
  auto address = reinterpret_cast<uintptr_t>(registerStorage.get());
  registerFile = registerStorage.get() + (alignment - address % alignment);
  ordering = std::make_unique<Ordering>(*this);
  fillConstants();
  fillSpecials();
  auto first = std::make_unique<Strand>();
  first->lanes = existing;
  first->function = &kernel;
  strands.push_back(std::move(first));
  enterFrame(existing, kernel);
}

Warp::~Warp() = default;

uint64_t Warp::bits(Slot slot, unsigned lane) {
  switch (slot.laneBytes) {
  case 0:
    return predicate(slot) >> lane & 1;
  case 2:
    return lanes<uint16_t>(slot)[lane];
  case 4:
    return lanes<uint32_t>(slot)[lane];
  case 8:
    return lanes<uint64_t>(slot)[lane];
  default:
    return lanes<uint64_t>(slot)[2 * lane]; // the low half of 128 bits
  }
}

void Warp::setBits(Slot slot, unsigned lane, uint64_t value) {
  switch (slot.laneBytes) {
  case 0:
    setPredicate(slot, LaneMask(1) << lane, value ? allLanes : 0);
    break;
  case 2:
    lanes<uint16_t>(slot)[lane] = static_cast<uint16_t>(value);
    break;
  case 4:
    lanes<uint32_t>(slot)[lane] = static_cast<uint32_t>(value);
    break;
  case 8:
    lanes<uint64_t>(slot)[lane] = value;
    break;
  default:
    lanes<uint64_t>(slot)[2 * lane] = value;
    lanes<uint64_t>(slot)[2 * lane + 1] = 0;
  }
}

void Warp::fillConstants() {
  const Program &program = cluster.launch.program;
  for (const Program::Constant &constant : program.constants) {
    if (constant.slot.laneBytes == 0) {
      predicate(constant.slot) = static_cast<LaneMask>(constant.low);
      continue;
    }
    for (unsigned lane = 0; lane < warpLanes; ++lane) {
      setBits(constant.slot, lane, constant.low);
      if (constant.slot.laneBytes == 16)
        lanes<uint64_t>(constant.slot)[2 * lane + 1] = constant.high;
    }
  }
  const SharedLayout &layout = cluster.launch.kernel.shared;
  for (const Program::SharedAddress &shared : program.sharedAddresses) {
    auto placed = layout.addresses.find(shared.variable);
    if (!shared.isDynamic && placed == layout.addresses.end())
      continue; // the kernel does not use it
    const uint32_t address =
        shared.isDynamic ? layout.dynamicBegin : placed->second;
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      setBits(shared.slot, lane,
              (uint64_t(cta.rank) << sharedRankShift) + address +
                  shared.addend);
  }
}

} // namespace ashlar::sim
