// The product at the heart of mma.sync and wgmma, for one warp.
//
// Accumulators are kept as the registers hold them (PTX ISA, "Matrix Fragments
// for mma.m16n8k16", and the same repeated along N in "Register Fragments and
// Shared Memory Matrix Layouts" of wgmma): for each block of 8 columns, and
// in it for each half of 8 rows, 32 lanes with the even columns, then 32 lanes
// with the odd ones; lane 4 r + c stands for row r and column 2 c (or 2 c + 1).
//
// Precision. Elements of 8 to 19 bits multiply exactly in f32. A sum starts
// with the accumulator and takes the products in the order of k, each addition
// rounded to nearest even in f32. The hardware aligns the products of a step to
// the greatest one and cuts off what is below, so its results differ in the
// last bits. Measured on an H200 over four steps of normally distributed
// values, relative to the sum of the products' magnitudes: 2e-7 for f16, bf16
// and tf32; 2e-4 for e4m3 and e5m2, of whose sums it keeps about 13 bits. So
// numbers that are tiny beside others of their sum may be lost there and kept
// here. An f16 accumulator is rounded once per instruction. Integers are exact.
#pragma once

#include "runtime/sim/machine/Lanes.h"

#include <cstdint>

namespace ashlar::sim {

/// The greatest extents: wgmma's N, and 32 bytes of elements along K; mma.sync
/// has up to 128 along K (mma.sp with 4-bit elements), but 8 columns.
inline constexpr unsigned maxProductColumns = 256;

/// Offset of an accumulator's 32 lanes in the array: block of 8 columns, half
/// of 8 rows, parity of the column.
constexpr unsigned accumulatorOffset(unsigned halves, unsigned block,
                                     unsigned half, unsigned parity) {
  return ((block * halves + half) * 2 + parity) * warpLanes;
}

/// accumulator += a * b. `a` has 8 * halves rows of `k` values. `b` has `k`
/// rows of 8 * blocks values; in each block the four even columns come before
/// the four odd ones (see arrangeColumns).
void multiplyAdd(float *accumulator, const float *a, const float *b,
                 unsigned halves, unsigned blocks, unsigned k);
/// Wraps around.
void multiplyAdd(int32_t *accumulator, const int32_t *a, const int32_t *b,
                 unsigned halves, unsigned blocks, unsigned k);
/// Each step a fused multiply-add, in the order of k.
void multiplyAdd(double *accumulator, const double *a, const double *b,
                 unsigned halves, unsigned blocks, unsigned k);
/// For b1: adds the number of ones in the conjunction, or else in the
/// exclusive disjunction, of rows of `a` and rows of `b` (one for each column,
/// not arranged), `words` words of 32 bits each.
void multiplyAddBits(int32_t *accumulator, const uint32_t *a, const uint32_t *b,
                     unsigned halves, unsigned blocks, unsigned words,
                     bool conjunction);

/// Brings B into the form that multiplyAdd takes: from `columns` rows of `k`
/// values, one row for each column of B (K-major) ...
template <class T>
void arrangeColumns(const T *in, T *out, unsigned columns, unsigned k);
/// ... or from `k` rows of `columns` values (N-major).
template <class T>
void arrangeRows(const T *in, T *out, unsigned columns, unsigned k);

} // namespace ashlar::sim
