#include "ashlar/gemm_cost.h"

#include "GemmResources.h"
#include "GemmTiling.h"

#include <algorithm>

namespace ashlar {

namespace {

/// What one wgmma takes of K, in bytes, and its rows.
constexpr double wgmmaDepthBytes = 32, wgmmaRows = 64;

class Model {
public:
  Model(const GemmSizes &sizes, const GemmTypes &types, const GemmConfig &c,
        const GpuModel &gpu)
      : types(types), c(c), gpu(gpu), tiling(sizes, c, gpu),
        bm(static_cast<double>(c.bm)), bn(static_cast<double>(c.bn)),
        stage(static_cast<double>(stageBytes(types, c))),
        dramBytesOfStep(
            dramBytes(sizes, types, c, tiling, gpu) /
            static_cast<double>(tiling.clusters * tiling.ctas * tiling.steps)) {
  }

  GemmCost cost() const {
    GemmCost cost;
    double loop = 0;
    addTurns(cost, loop, tiling.fullTurns, tiling.slots);
    if (tiling.leftClusters)
      addTurns(cost, loop, 1, tiling.leftClusters);
    const double others = cost.math + cost.memory + cost.l2 -
                          std::max({cost.math, cost.memory, cost.l2});
    cost.prologue = gpu.launch_microseconds + gpu.load_microseconds +
                    (tiling.ctas > 1 ? gpu.cluster_microseconds : 0);
    cost.epilogue = epilogue();
    cost.total = cost.prologue + loop + gpu.unhidden * others + cost.epilogue;
    return cost;
  }

private:
  double microseconds(double clocks) const {
    return clocks / (gpu.clock_gigahertz * 1e3);
  }
  /// The share of a CTA when `ctas` divide what the whole GPU has, in bytes in
  /// a clock.
  double share(double terabytesPerSecond, double ctas) const {
    return terabytesPerSecond * 1e3 / gpu.clock_gigahertz / ctas;
  }

  /// Clocks that the products of a stage take: each wgmma reads its part of A
  /// and all of B from shared memory, which also takes in the next stage.
  double mathClocks() const {
    const double flops = 2 * bm * bn * static_cast<double>(c.bk);
    const double tensor =
        flops * static_cast<double>(size_bytes(types.a)) / 2 / gpu.tensor_flops;
    const double depth = static_cast<double>(c.bk * size_bytes(types.a));
    const double read = bm / wgmmaRows * depth * (wgmmaRows + bn);
    return std::max(tensor, (read + stage) / gpu.shared_bytes_per_clock) +
           promotionClocks();
  }

  /// Adding the tensor cores' sums to f32, half of it under the products of
  /// the other warpgroup.
  double promotionClocks() const {
    constexpr double lanes = 128, promotedDepth = 128, hidden = 0.5;
    if (!isPromoted(types))
      return 0;
    return bm * bn / lanes * static_cast<double>(c.bk) / promotedDepth *
           (1 - hidden);
  }

  /// Clocks in which L2 provides a stage, each byte once for all CTAs that
  /// share it.
  double l2Clocks(double ctas) const {
    const double depth = static_cast<double>(c.bk * size_bytes(types.a));
    const double fetched = depth * (bm / static_cast<double>(c.cluster_n) +
                                    bn / static_cast<double>(c.cluster_m));
    return std::max(stage / gpu.load_bytes_per_clock,
                    fetched / share(gpu.l2_terabytes_per_second, ctas));
  }

  double memoryClocks(double ctas) const {
    return dramBytesOfStep /
           std::min(share(gpu.dram_terabytes_per_second, ctas),
                    gpu.load_bytes_per_clock);
  }

  /// As many stages are on their way at once as the ring has.
  double leastClocks() const {
    const double latency = gpu.load_microseconds * gpu.clock_gigahertz * 1e3;
    return std::max(gpu.step_clocks, latency / static_cast<double>(c.stages));
  }

  /// `turns` tiles of every CTA, where `clusters` clusters are at work.
  void addTurns(GemmCost &cost, double &loop, int64_t turns,
                int64_t clusters) const {
    const auto ctas = static_cast<double>(clusters * tiling.ctas);
    const double steps =
        microseconds(static_cast<double>(turns * tiling.steps));
    const double math = mathClocks(), l2 = l2Clocks(ctas),
                 memory = memoryClocks(ctas);
    cost.math += steps * math;
    cost.l2 += steps * l2;
    cost.memory += steps * memory;
    const double coupled =
        1 + gpu.coupling * static_cast<double>(tiling.ctas - 1);
    loop += steps * coupled * std::max({math, l2, memory, leastClocks()});
  }

  double epilogue() const {
    const double bytes = bm * bn * static_cast<double>(size_bytes(types.d));
    // Dᵀ is transposed on its way.
    const double toShared =
        gpu.epilogue_clocks +
        bytes / gpu.shared_bytes_per_clock * (c.swapped ? 2 : 1);
    const double out =
        bytes / std::min(gpu.load_bytes_per_clock,
                         share(gpu.l2_terabytes_per_second,
                               static_cast<double>(
                                   std::min(tiling.clusters, tiling.slots) *
                                   tiling.ctas)));
    const auto turns = static_cast<double>(tiling.turns());
    const double between = c.ping_pong ? 0 : (turns - 1) * toShared;
    return microseconds(between + toShared + out) + turns * splitCost();
  }

  /// Each CTA of a split adds up its part of the tile.
  double splitCost() const {
    if (c.split == 1)
      return 0;
    const double bytes = static_cast<double>(splitBytes(c));
    return 2 * gpu.cluster_microseconds +
           microseconds(bytes / gpu.cluster_bytes_per_clock);
  }

  const GemmTypes &types;
  const GemmConfig &c;
  const GpuModel &gpu;
  GemmTiling tiling;
  double bm, bn, stage, dramBytesOfStep;
};

} // namespace

GemmCost gemm_cost(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmConfig &config, const GpuModel &gpu) {
  return Model(sizes, types, config, gpu).cost();
}

} // namespace ashlar
