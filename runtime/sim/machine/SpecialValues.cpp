// The special registers that are fixed while a thread lives.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Program.h"

namespace ashlar::sim {

namespace {

using Vector = std::array<uint32_t, 3>;

Vector vector(const ptx::Dimensions &dimensions) {
  return {dimensions.x, dimensions.y, dimensions.z};
}

Vector threadIndex(uint32_t thread, const ptx::Dimensions &block) {
  return {thread % block.x, thread / block.x % block.y,
          thread / block.x / block.y};
}

Vector quotient(const Vector &a, const Vector &b) {
  return {a[0] / b[0], a[1] / b[1], a[2] / b[2]};
}

Vector remainder(const Vector &a, const Vector &b) {
  return {a[0] % b[0], a[1] % b[1], a[2] % b[2]};
}

} // namespace

void Warp::fillSpecials() {
  for (const Program::Special &special : cluster.launch.program.specials)
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      setBits(special.slot, lane,
              specialValue(special.which, special.component, lane));
}

uint64_t Warp::specialValue(ptx::SpecialRegister which, unsigned component,
                            unsigned lane) const {
  using enum ptx::SpecialRegister;
  const LaunchShape &shape = cluster.launch.shape;
  const Vector grid = vector(shape.grid), size = vector(shape.cluster),
               self = {cta.x, cta.y, cta.z};
  const uint32_t bit = 1u << lane;
  const uint32_t ctas = size[0] * size[1] * size[2];
  switch (which) {
  case tid:
    return threadIndex(index * warpLanes + lane, shape.block)[component];
  case ntid:
    return vector(shape.block)[component];
  case ctaid:
    return self[component];
  case nctaid:
    return grid[component];
  case clusterid:
    return quotient(self, size)[component];
  case nclusterid:
    return quotient(grid, size)[component];
  case clusterCtaid:
    return remainder(self, size)[component];
  case clusterNctaid:
    return size[component];
  case clusterCtarank:
    return cta.rank;
  case clusterNctarank:
    return ctas;
  case isExplicitCluster:
    return ctas > 1 || cluster.launch.kernel.text->explicitCluster;
  case laneid:
    return lane;
  case warpid:
    return index;
  case nwarpid:
    return maxThreads * 2 / warpLanes;
  case smid:
    return cta.linear % smCount;
  case nsmid:
    return smCount;
  case gridid:
    return 1;
  case lanemaskEq:
    return bit;
  case lanemaskLe:
    return bit | (bit - 1);
  case lanemaskLt:
    return bit - 1;
  case lanemaskGe:
    return ~(bit - 1);
  case lanemaskGt:
    return ~(bit | (bit - 1));
  case totalSmemSize:
    return cluster.launch.kernel.shared.dynamicBegin - reservedSharedBytes +
           shape.dynamicSharedBytes;
  case dynamicSmemSize:
    return shape.dynamicSharedBytes;
  case aggrSmemSize:
    return cluster.launch.kernel.shared.dynamicBegin + shape.dynamicSharedBytes;
  case reservedSmemBegin:
    return 0;
  case time:
  case timeHigh:
  case notSimulated:
    break;
  }
  return 0;
}

} // namespace ashlar::sim
