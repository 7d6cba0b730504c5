// How long a GEMM takes, from a model that counts clocks and bytes.
#pragma once

#include "ashlar/gemm.h"

namespace ashlar {

/// What the cost of a GEMM depends on. Rates are what is reached, not what a
/// data sheet says; clocks are those of a multiprocessor.
struct GpuModel {
  int64_t multiprocessors = 132;
  /// Under the power limit, with the tensor cores busy.
  double clock_gigahertz = 1.7;
  /// Of a multiprocessor in a clock, for 16-bit operands; twice as many for
  /// 8-bit ones.
  double tensor_flops = 4096;
  /// Read from or written to a multiprocessor's shared memory in a clock.
  double shared_bytes_per_clock = 128;
  /// Into one multiprocessor in a clock.
  double load_bytes_per_clock = 64;
  /// From another multiprocessor of the cluster in a clock.
  double cluster_bytes_per_clock = 32;
  /// A 128x256 tile without multicast ran at 640 TFLOP/s, which needs this.
  double l2_terabytes_per_second = 7.5;
  double dram_terabytes_per_second = 4.2;
  int64_t l2_bytes = 50'000'000;
  /// From the request of a stage to its arrival.
  double load_microseconds = 0.9;
  /// A launch, until the first instruction of the kernel.
  double launch_microseconds = 2.5;
  /// What a cluster adds to a launch, and a barrier of all its CTAs takes.
  double cluster_microseconds = 0.4;
  /// The least between two stages: a barrier and the latency of a short wgmma.
  double step_clocks = 120;
  /// An epilogue apart from its bytes.
  double epilogue_clocks = 400;
  /// What each further CTA of a cluster adds to a step: all wait for the
  /// slowest.
  double coupling = 0.01;
  /// The part of the time of what is not the bottleneck that is not hidden.
  double unhidden = 0.1;
  /// Shared memory that a block can have, and what barriers and alignment take.
  int64_t shared_bytes = 232448, shared_slack_bytes = 1024;

  /// CTAs that run at once in clusters of a size: the groups of
  /// multiprocessors (GPCs) are no multiples of 4 or 8.
  int64_t resident_ctas(int64_t cluster_size) const {
    const int64_t usable = cluster_size <= 2   ? multiprocessors
                           : cluster_size <= 4 ? multiprocessors - 4
                                               : multiprocessors - 12;
    return usable / cluster_size * cluster_size;
  }
};

/// The NVIDIA H200.
inline constexpr GpuModel h200() { return {}; }

/// Microseconds of one launch with its inputs in DRAM.
struct GemmCost {
  double math = 0;     ///< tensor cores, or the shared memory that feeds them
  double memory = 0;   ///< DRAM
  double l2 = 0;       ///< L2 and the way into the multiprocessors
  double prologue = 0; ///< launch, and the first stage's way
  double epilogue = 0; ///< stores that nothing hides, and the sum over a split
  double total = 0;
};

/// The estimate for a configuration that `why_not` has nothing against.
///
/// A CTA computes its tiles one after another, each in steps of one stage. A
/// step takes as long as the slowest of the tensor cores, shared memory, L2,
/// DRAM and the latency that the ring of stages covers; the epilogue is hidden
/// under the next tile with `ping_pong` only.
GemmCost gemm_cost(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmConfig &config, const GpuModel &gpu = h200());

} // namespace ashlar
