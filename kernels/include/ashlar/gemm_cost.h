// How long a GEMM takes, from a model that counts clocks and bytes.
#pragma once

#include "ashlar/gemm.h"

namespace ashlar {

/// What the cost of a GEMM depends on. Rates are what is reached, not what a
/// data sheet says; they were fitted to the times of some 6000 configurations
/// such as `bench-gemm --measurements` writes. Clocks are those of a
/// multiprocessor.
struct GpuModel {
  int64_t multiprocessors = 132;
  double clock_gigahertz = 1.87;
  /// Of a multiprocessor in a clock, for 16-bit operands; twice as many for
  /// 8-bit ones.
  double tensor_flops = 4096;
  /// The least between two stages: a barrier and the latency of a short wgmma.
  double step_clocks = 150;
  /// What narrow wgmmas take more, for what they read more of shared memory.
  double narrow = 0.26;
  /// What a stage takes more when its sums leave the tensor cores: their
  /// latency, and the part of the additions that products of others do not
  /// hide, or with a product in flight the thread's own.
  double promotion_clocks = 47, addition_unhidden = 0.43,
         addition_in_flight_unhidden = 0.11;
  /// Into one multiprocessor in a clock.
  double load_bytes_per_clock = 81;
  /// For 128 bytes of a box outside of the matrix, which TMA fills with zeros:
  /// in each multiprocessor, and in L2 for all of them, one after another.
  double outside_clocks = 3.8, outside_l2_clocks = 0.07;
  double l2_terabytes_per_second = 6.4;
  /// For the same bytes at the same time, more readers take L2 no longer.
  double l2_readers = 2.7;
  double dram_terabytes_per_second = 4.5;
  /// As many CTAs more would keep all of it busy.
  double dram_idle_ctas = 18;
  int64_t l2_bytes = 50'000'000;
  /// Stages of the ring that the tensor cores hold on to.
  double held_stages = 0.9;
  /// From the request of a stage to its first byte.
  double load_microseconds = 1.1;
  /// A launch, until the first instruction of the kernel.
  double launch_microseconds = 1.5;
  /// What each doubling of a cluster adds to a launch, and what a barrier of
  /// all its CTAs takes.
  double cluster_microseconds = 0.46;
  /// From other multiprocessors of the cluster, and added up, in a clock.
  double cluster_bytes_per_clock = 8.8;
  /// An epilogue, and each of its strips of 64 rows, apart from their bytes.
  double epilogue_clocks = 410, strip_clocks = 750;
  /// Until the last strip has left a stage that was lent to the epilogue.
  double lent_clocks = 1800;
  /// Written to a multiprocessor's shared memory in a clock.
  double shared_bytes_per_clock = 128;
  /// For each byte of strips that end within a sector of 32 bytes.
  double half_sector_clocks = 0.2;
  /// The part of the shorter of math and loads that the longer does not hide,
  /// and that of a tile's stores.
  double unhidden = 0.17, stores_unhidden = 0.7;
  /// Stream-K: waiting for others' sums of a tile, for each of the others more,
  /// and adding these in a clock.
  double stream_microseconds = 0.26, stream_other_microseconds = 0.87,
         stream_bytes_per_clock = 42;
  /// Shared memory that a block can have, and what barriers and alignment take.
  int64_t shared_bytes = 232448, shared_slack_bytes = 1024;

  /// CTAs that run at once in clusters of a size: the groups of
  /// multiprocessors (GPCs) are no multiples of 4 or 8.
  int64_t resident_ctas(int64_t cluster_size) const {
    const int64_t usable = cluster_size <= 2   ? multiprocessors
                           : cluster_size <= 4 ? multiprocessors - 12
                                               : multiprocessors - 20;
    return usable / cluster_size * cluster_size;
  }
};

/// The NVIDIA H200.
inline constexpr GpuModel h200() { return {}; }

/// Microseconds of one launch, between those with its inputs in L2 and in DRAM.
/// What runs at the same time adds up to more than `total`.
struct GemmCost {
  double math = 0;     ///< tensor cores
  double memory = 0;   ///< DRAM
  double l2 = 0;       ///< L2
  double load = 0;     ///< the way into the multiprocessors
  double prologue = 0; ///< launch, and the first stage's way
  double epilogue = 0; ///< sums over a split, and stores
  double total = 0;
};

/// The estimate for a configuration that `why_not` has nothing against.
///
/// A CTA computes its tiles one after another. Its loader runs ahead as far as
/// the ring is deep, so that a tile takes as long as the slower of the two: the
/// math with the epilogue (with `ping_pong` without it), or the loads. These
/// wait for DRAM, L2 and the way into the multiprocessor, or for the latency
/// that the ring covers.
GemmCost gemm_cost(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmConfig &config, const GpuModel &gpu = h200());

} // namespace ashlar
