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
  registerStorage =
      std::make_unique<std::byte[]>(program.registerBytes + alignment);
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
  for (const Program::SharedAddress &shared : program.sharedAddresses)
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      setBits(shared.slot, lane,
              (shared.generic ? sharedWindow : 0) +
                  (uint64_t(cta.rank) << sharedRankShift) + shared.offset);
}

void Warp::fillSpecials() {
  for (const Program::Special &special : cluster.launch.program.specials)
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      setBits(special.slot, lane, specialValue(special.which, lane));
}

uint64_t Warp::specialValue(SpecialRegister which, unsigned lane) const {
  const LaunchShape &shape = cluster.launch.shape;
  const uint32_t thread = index * warpLanes + lane;
  const ptx::Dimensions &block = shape.block, &grid = shape.grid,
                        &size = shape.cluster;
  const uint32_t self = 1u << lane;
  switch (which) {
  case SpecialRegister::tidX:
    return thread % block.x;
  case SpecialRegister::tidY:
    return thread / block.x % block.y;
  case SpecialRegister::tidZ:
    return thread / block.x / block.y;
  case SpecialRegister::ntidX:
    return block.x;
  case SpecialRegister::ntidY:
    return block.y;
  case SpecialRegister::ntidZ:
    return block.z;
  case SpecialRegister::ctaidX:
    return cta.x;
  case SpecialRegister::ctaidY:
    return cta.y;
  case SpecialRegister::ctaidZ:
    return cta.z;
  case SpecialRegister::nctaidX:
    return grid.x;
  case SpecialRegister::nctaidY:
    return grid.y;
  case SpecialRegister::nctaidZ:
    return grid.z;
  case SpecialRegister::laneid:
    return lane;
  case SpecialRegister::warpid:
    return index;
  case SpecialRegister::nwarpid:
    return maxThreads * 2 / warpLanes;
  case SpecialRegister::smid:
    return cta.linear % multiprocessors;
  case SpecialRegister::nsmid:
    return multiprocessors;
  case SpecialRegister::gridid:
    return 1;
  case SpecialRegister::lanemaskEq:
    return self;
  case SpecialRegister::lanemaskLe:
    return self | (self - 1);
  case SpecialRegister::lanemaskLt:
    return self - 1;
  case SpecialRegister::lanemaskGe:
    return ~(self - 1);
  case SpecialRegister::lanemaskGt:
    return ~(self | (self - 1));
  case SpecialRegister::clusteridX:
    return cta.x / size.x;
  case SpecialRegister::clusteridY:
    return cta.y / size.y;
  case SpecialRegister::clusteridZ:
    return cta.z / size.z;
  case SpecialRegister::nclusteridX:
    return grid.x / size.x;
  case SpecialRegister::nclusteridY:
    return grid.y / size.y;
  case SpecialRegister::nclusteridZ:
    return grid.z / size.z;
  case SpecialRegister::clusterCtaidX:
    return cta.x % size.x;
  case SpecialRegister::clusterCtaidY:
    return cta.y % size.y;
  case SpecialRegister::clusterCtaidZ:
    return cta.z % size.z;
  case SpecialRegister::clusterNctaidX:
    return size.x;
  case SpecialRegister::clusterNctaidY:
    return size.y;
  case SpecialRegister::clusterNctaidZ:
    return size.z;
  case SpecialRegister::clusterCtarank:
    return cta.rank;
  case SpecialRegister::clusterNctarank:
    return size.x * size.y * size.z;
  case SpecialRegister::isExplicitCluster:
    return size.x * size.y * size.z > 1 ||
           cluster.launch.kernel.text->explicitCluster;
  case SpecialRegister::totalSmemSize:
    return cluster.launch.program.dynamicSharedBegin - reservedSharedBytes +
           shape.dynamicSharedBytes;
  case SpecialRegister::dynamicSmemSize:
    return shape.dynamicSharedBytes;
  case SpecialRegister::aggrSmemSize:
    return cluster.launch.program.dynamicSharedBegin + shape.dynamicSharedBytes;
  case SpecialRegister::reservedSmemBegin:
    return 0;
  }
  return 0;
}

} // namespace ashlar::sim
