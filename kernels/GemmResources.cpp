#include "GemmResources.h"

#include <algorithm>

namespace ashlar {

bool isPromoted(const GemmTypes &types) {
  return size_bytes(types.a) == 1 && types.accumulation == Accumulation::full;
}

int64_t stageBytes(const GemmTypes &types, const GemmConfig &c) {
  return (c.bm * size_bytes(types.a) + c.bn * size_bytes(types.b)) * c.bk;
}

int64_t storedColumns(const GemmConfig &c) { return c.bn / c.split; }

int64_t stripColumns(const GemmConfig &c) {
  int64_t columns = std::min(c.store_columns, storedColumns(c));
  while (storedColumns(c) % columns)
    --columns;
  return columns;
}

int64_t stagingBytes(const GemmTypes &types, const GemmConfig &c) {
  const int64_t tiles = c.ping_pong ? c.warpgroups : 1;
  const int64_t strip = stripColumns(c);
  const int64_t buffers = std::min(c.store_buffers, storedColumns(c) / strip);
  return tiles * c.bm * strip * size_bytes(types.d) * buffers;
}

int64_t splitBytes(const GemmConfig &c) {
  return (c.split - 1) * c.bm * c.bn / c.split * size_bytes(f32);
}

int64_t sharedBytes(const GemmTypes &types, const GemmConfig &c,
                    const GpuModel &gpu) {
  return c.stages * stageBytes(types, c) + stagingBytes(types, c) +
         splitBytes(c) + gpu.shared_slack_bytes;
}

int64_t accumulatorRegisters(const GemmTypes &types, const GemmConfig &c) {
  const int64_t threads = 128 * (c.ping_pong ? 1 : c.warpgroups);
  return c.bm * c.bn / threads * (isPromoted(types) ? 2 : 1);
}

int64_t accumulatorLimit(const GemmConfig &c) {
  // Three warpgroups and a producer have 152 registers each at most.
  return c.warpgroups <= 2 ? 200 : 120;
}

} // namespace ashlar
