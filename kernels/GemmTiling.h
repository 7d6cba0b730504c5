// How the work of a GEMM spreads over the SMs.
#pragma once

#include "ashlar/gemm_cost.h"

namespace ashlar {

struct GemmTiling {
  GemmTiling(const GemmSizes &sizes, const GemmConfig &config,
             const GpuModel &gpu);

  /// Tiles along `bm` and `bn`, and clusters of them.
  int64_t rows, columns, clusters;
  /// Of the matrices: what most tiles have of them, and the last.
  int64_t mostRows, lastRows, mostColumns, lastColumns;
  /// Clusters that run at once, the CTAs of each, and the stages of K that one
  /// CTA goes through for a tile.
  int64_t slots, ctas, steps;
  /// Waves in which every slot has a cluster; clusters that are left for a
  /// last, partial wave.
  int64_t fullWaves, leftClusters;
  /// Tiles at the same time: groups of `group` rows go one after another, in
  /// each as many columns as there are tiles in flight.
  int64_t rowsAtOnce, columnsAtOnce;

  int64_t waves() const { return fullWaves + (leftClusters > 0); }
  /// Whether the next launch fits beside this one, on SMs that are idle.
  bool leavesHalf() const { return 2 * clusters <= slots; }
};

inline int64_t ceilDiv(int64_t numerator, int64_t denominator) {
  return (numerator + denominator - 1) / denominator;
}

/// The sizes that a choice is made for: of what there is none there is one.
GemmSizes atLeastOne(GemmSizes sizes);

/// Bytes from a row of A, of B, of D, as it is stored, to the next one.
int64_t strideOfA(const GemmSizes &sizes, const GemmTypes &types);
int64_t strideOfB(const GemmSizes &sizes, const GemmTypes &types);
int64_t strideOfD(const GemmSizes &sizes, const GemmTypes &types);

/// Bytes of an operand of `extent` times K.
int64_t operandBytes(const GemmSizes &sizes, const GemmTypes &types,
                     int64_t extent);

/// Bytes of D, and of C and Auxiliary if the form has them.
double resultBytes(const GemmSizes &sizes, const GemmTypes &types,
                   const GemmForm &form);

/// Bytes that come from and go to DRAM when tiles are taken in groups of
/// `config.group` rows: an operand is read again where L2 can't hold it.
double dramBytes(const GemmSizes &sizes, const GemmTypes &types,
                 const GemmConfig &config, const GemmForm &form,
                 const GemmTiling &tiling, const GpuModel &gpu);

} // namespace ashlar
