// How long a GEMM takes, from a model that counts clocks and bytes.
#pragma once

#include "ashlar/gemm.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ashlar {

/// What the cost of a GEMM depends on. Rates are what is reached, not what a
/// data sheet says: most are fitted to times of H200s in `bench/measurements`,
/// as `bench-gemm --fit` does it, some chosen near what fits, those of
/// transposed operands to an H100's as well (docs/benchmark.md). Clocks are
/// those of an SM.
struct GpuModel {
  int64_t sm_count = 132;
  double clock_gigahertz = 1.75;
  /// Of an SM in a clock, for 16-bit operands; twice as many for 8-bit ones.
  double tensor_flops = 4096;
  /// What narrow wgmmas take more, for what they read more of shared memory.
  double narrow = 0.27;
  /// The same of f32 below 128 columns, where the rows' registers limit: a
  /// wgmma of 8 columns takes 21 clocks where its products need 4.
  double parts_narrow = 0.7;
  /// Of adding the sums that leave the tensor cores to f32, the part that other
  /// products do not hide where none of the thread's own is in flight.
  double addition_unhidden = 0.507;
  /// What each stage takes the only warpgroup of a CTA that multiplies: the
  /// tensor cores have nothing else while it waits for it.
  double lone_stage_clocks = 46.1;
  /// And warpgroups that share a tile, which wait for it at the same time.
  double joint_stage_clocks = 20;
  /// Into one SM in a clock.
  double load_bytes_per_clock = 70.3;
  /// For each row of boxes that are no wider, in each SM.
  double narrow_row_clocks = 2;
  int64_t narrow_box_bytes = 32;
  /// For 128 bytes of a box outside of the matrix, which TMA fills with zeros:
  /// in each SM, and in L2 for all of them, one after another.
  double outside_clocks = 2.22, outside_l2_clocks = 0.0766;
  /// What `edge_parts` adds to a launch that finds nothing in L2, and what part
  /// of its time to every launch.
  double edge_parts_microseconds = 0.3, edge_parts_share = 0.007;
  double l2_terabytes_per_second = 8.48;
  /// What each row of a box, of up to 128 bytes, takes that some CTA asks for,
  /// those of all CTAs one after another: where rows begin on sectors of 32
  /// bytes, and where they lie across one sector more.
  double request_clocks = 0.0116, request_on_16_clocks = 0.0233;
  /// What a row of the latter kind takes of its own SM. What a stage's rows
  /// take is the root of the sum of the squares: all CTAs' and their own.
  double request_on_16_sm_clocks = 2.33;
  /// What each reader after the first takes of L2 for the same bytes at the
  /// same time, and how many times the first's all of them take at most.
  double l2_reader = 0.82, l2_readers = 18;
  double dram_terabytes_per_second = 4.45;
  /// What each row of a stage takes more of it, in bytes.
  double dram_row_bytes = 6.36;
  /// At which L2 makes room for what it keeps of a launch by itself: it is full
  /// of lines that were written before.
  double write_back_terabytes_per_second = 12.7;
  /// As many CTAs more would keep all of it busy.
  double dram_idle_ctas = 6.18;
  int64_t l2_bytes = 50'000'000;
  /// Of what a launch reads and writes, all is in L2 for the next one up to as
  /// many bytes, nothing from as many on, and a part in proportion between:
  /// fitted, as it does not fall off in a straight line. The part of that which
  /// is left beside what L2 evicts first.
  double resident_bytes = 37e6, evicted_bytes = 54e6, beside_streams = 0.66;
  /// What part of so many bytes, which a launch reads and writes, L2 does not
  /// have any more when the next one begins: 0 to 1.
  double evictedPart(double bytes) const;
  /// Stages of the ring that the tensor cores hold on to.
  double held_stages = 1.14;
  /// From the first request of a launch to its first byte, and from that of a
  /// stage while others are on their way.
  double load_microseconds = 0.752, stage_microseconds = 0.604;
  /// What that takes longer where nothing of the launch is in L2, else in
  /// proportion.
  double dram_microseconds = 0.398;
  /// A launch by itself, between two events; after another one what it is
  /// shorter if it may start early, and if both fit beside each other.
  double launch_microseconds = 3.64, early_launch_microseconds = 0.0818,
         launch_beside_microseconds = 0.171;
  /// What each warpgroup that multiplies beside the first adds to a launch.
  double warpgroup_microseconds = 0.338;
  /// What each doubling of a cluster adds to a launch.
  double cluster_microseconds = 0.1;
  /// From other SMs of the cluster, and added up, in a clock.
  double cluster_bytes_per_clock = 11.8;
  /// An epilogue, and each of its strips of 64 rows.
  double epilogue_clocks = 421, strip_clocks = 284;
  /// What is lost between an epilogue and the products of the next tile where
  /// no other warpgroup multiplies meanwhile, and between the tiles of two that
  /// take turns.
  double restart_clocks = 592, turn_clocks = 320;
  /// What the next tile's loads wait for, in ping-pong, where a tile is staged
  /// in the ring.
  double reused_stage_clocks = 1330;
  /// What an epilogue takes more for each byte of strips whose width is no
  /// whole number of sectors of 32 bytes.
  double half_sector_clocks = 0.0851;
  /// What the next tile waits for each sector of D that is written in part, as
  /// rows of a strip begin or end in it, those of all CTAs one after another.
  double part_sector_clocks = 0.014;
  /// The part of the shorter of math and loads that the longer does not hide
  /// where all SMs have a CTA, else in proportion (it is power that slows their
  /// clocks), and that of a tile's stores.
  double unhidden = 0.206, stores_unhidden = 0.413;
  /// Stream-K: waiting for others' sums of a tile, for each of the others more,
  /// and adding these in a clock.
  double stream_microseconds = 1.5, stream_other_microseconds = 1.17,
         stream_bytes_per_clock = 72;
  /// Operands that are prepared: until all CTAs are done with it, less where
  /// threads load the other operand meanwhile, and what all of them read and
  /// write, before the products, and under products, that take longer; and what
  /// it takes more to transpose one.
  double prepare_microseconds = 1.51, prepare_beside_microseconds = 0.85,
         prepare_transposed_microseconds = 1.2,
         prepare_terabytes_per_second = 5.2,
         prepare_under_terabytes_per_second = 12;
  /// Where threads load and shift: what comes into an SM in a clock, one after
  /// the other with what TMA brings; what threads take in in a clock, of all
  /// that an SM does, and what each stage takes more, while it is waited for.
  /// Where they store what is shifted, a warpgroup the same, for each row of
  /// its strips. Where nothing is prepared beside, until they ask for the first
  /// stage.
  double shift_load_bytes_per_clock = 19.9, shift_bytes_per_clock = 46.3,
         shift_step_clocks = 857, shift_store_bytes_per_clock = 28.6,
         shift_row_clocks = 8, shift_start_microseconds = 0.45;
  /// What a role that transposes the columns of stages takes at least, for each
  /// 128 bytes of their depth.
  double transpose_clocks = 230;
  /// Rows of a stage that are transposed through registers: each 128 bytes of
  /// their depth, and what each warpgroup of the tile beside the first adds,
  /// under the products of the stage before.
  double register_stage_clocks = 260, register_sharer_clocks = 40;
  /// The same where sums are added to f32 meanwhile: each product more.
  double register_step_clocks = 82.6;
  /// What a warpgroup does beside the products of f32 that begin together:
  /// their first rows are loaded and taken apart before them, sums added
  /// behind.
  double parts_step_clocks = 200;
  /// Shared memory that a block can have, and what barriers and alignment take.
  int64_t shared_bytes = 232448, shared_slack_bytes = 1024;

  /// SMs that clusters of more than two find in each GPC, of which none leaves
  /// one: such that there are as many clusters as the driver says, of 3 to 8
  /// CTAs 39, 30, 22, 17, 15 and 15 (`cuOccupancyMaxActiveClusters`, on two
  /// H200s; of a kind of card some GPCs have fewer SMs than others).
  std::array<int64_t, 8> cluster_sms = {18, 18, 16, 16, 16, 16, 16, 8};

  /// CTAs that run at once in clusters of a size.
  int64_t resident_ctas(int64_t cluster_size) const {
    const int64_t most = sm_count / cluster_size * cluster_size;
    if (cluster_size <= 2)
      return most;
    int64_t ctas = 0;
    for (int64_t sms : cluster_sms)
      ctas += sms / cluster_size * cluster_size;
    return std::min(ctas, most);
  }
};

/// The NVIDIA H200. The H100 has less DRAM bandwidth.
constexpr GpuModel h200() { return {}; }

/// Microseconds of one launch. What runs at the same time adds up to more than
/// `cold`.
struct GemmCost {
  double math = 0;   ///< tensor cores
  double memory = 0; ///< DRAM
  double l2 = 0;     ///< L2
  double load = 0;   ///< the way into the SMs
  /// Launch, what is prepared, the first stage's way, and, cold, what L2 writes
  /// back to make room.
  double prologue = 0;
  /// Sums of split-K, stores, and what is lost between tiles.
  double epilogue = 0;
  double cold = 0;  ///< all of it, with the inputs in DRAM
  double hot = 0;   ///< when it is launched again and again
  double total = 0; ///< geometric mean of cold and hot
  /// What most of the time waits for, cold and hot: "math", "epilogue",
  /// "memory", "l2", "load", the "requests" of its rows, the "transpose" of
  /// stages that are transposed, the "latency" that the ring does not cover, or
  /// the "launch".
  std::string_view limit = {}, hot_limit = {};
};

/// The estimate for a configuration that `why_not` has nothing against. Throws
/// `Error` for one whose numbers are none, such as 0 stages.
///
/// A CTA computes its tiles one after another. Its loader runs ahead as far as
/// the ring is deep, so that a tile takes as long as the slower of the two: the
/// math with the epilogue (with `ping_pong` without it), or the loads; only
/// nothing hides the epilogue of the last tile. These
/// wait for DRAM, L2 and the way into the SM, or for the latency that the ring
/// covers. Of a form it counts the bytes that C and Auxiliary take, not the
/// time until C is there. An extent of 0 counts as one of 1.
GemmCost gemm_cost(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmConfig &config, const GemmForm &form = {},
                   const GpuModel &gpu = h200(),
                   SourceLocation where = SourceLocation::current());

} // namespace ashlar
