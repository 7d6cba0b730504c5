// GEMM: a kernel in the language, the configurations it comes in, and the
// choice among them.
#pragma once

#include "ashlar/element_type.h"
#include "ashlar/kernel.h"
#include "ashlar/schedule.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar {

/// Where the sums of fp8 products are kept. Other types are always summed in
/// full.
enum class Accumulation : uint8_t {
  fast, ///< in the tensor cores, with about 14 bits of mantissa
  full, ///< added to f32 every 128 of K
};

/// How matrices lie in memory. As it is, each has its last dimension
/// contiguous: A and B are K-major. In BLAS's letters, for a B of K×N: TN as it
/// is, NN with `a_m_major`, TT with `b_n_major`, NT with both.
struct GemmLayout {
  /// A is stored as K×M, B as K×N. wgmma transposes 16 bits; of other types
  /// such an operand is `prepared`.
  bool a_m_major = false, b_n_major = false;
  /// D is stored as N×M, as are C and Auxiliary.
  bool d_m_major = false;
  /// Every row of A, of B, and of D and the like begins, as it is stored, on a
  /// multiple of so many bytes: a power of two, from an element to the 16 that
  /// TMA needs.
  int64_t align_a = 16, align_b = 16, align_d = 16;

  bool operator==(const GemmLayout &) const = default;

  /// BLAS's letters for A and B, an N behind them where D is `d_m_major`, and
  /// alignments below 16: "NTN:2,16,2" for those of A, B and D.
  std::string str() const;
  /// Throws `Error`, with the caller's line, where the text is none of `str`.
  static GemmLayout parse(std::string_view text,
                          SourceLocation where = SourceLocation::current());
};

/// What D = A · Bᵀ computes, whatever the sizes: A is M×K, B is N×K, D is M×N.
/// A and B are both bf16, both f16, both tf32, e4m3 or e5m2, s8 or u8, which
/// are summed in s32, or both f32: these are multiplied as three products of
/// tf32, or one of tf32 and two of bf16 (`GemmConfig::bf16_parts`), and nearer
/// to the exact result than if summed in order in f32. An infinity gives NaN
/// there, and so does a number of 2^128 (1 - 2^-12) or more, or of bf16 parts
/// 2^128 (1 - 2^-9), and a sum beyond f32 gives an infinity or NaN; of numbers
/// below 2^-103 bits are lost that are below 2^-126.
/// D is f32, bf16, f16, e4m3, e5m2, s8 or u8, rounded to nearest even and, of 8
/// bits, to the nearest one where it is beyond them; or s32 of integers.
struct GemmTypes {
  ElementType a = bf16, b = bf16, d = bf16;
  Accumulation accumulation = Accumulation::fast;
  GemmLayout layout = {};
};

enum class Activation : uint8_t { none, relu, gelu, silu };

/// What is computed around the product, in this order; all of it in f32, on the
/// accumulator in registers, but for zero points, which are subtracted from
/// sums of integers as s32: exactly, and D may be s32.
struct GemmForm {
  /// A, B, D and the like have a leading dimension of `batch` matrices.
  bool batched = false;
  /// The zero points of A's rows: minus RowZero[m] times ColumnSum[n], the sum
  /// of B's elements for n over K. Integers only; s32 vectors of M and N.
  bool row_zeros = false;
  /// The zero points of B's: minus ColumnZero[n] times RowSum[m], the sum of
  /// A's elements for m over K, less K times RowZero[m] where A has zero points
  /// too. Integers only; s32 vectors of N and M.
  bool column_zeros = false;
  /// Times RowScale[m], ColumnScale[n]: f32 vectors of M and N.
  bool row_scales = false, column_scales = false;
  /// Times the scalar alpha: of 0 times an infinity, NaN.
  bool alpha = false;
  /// Plus the scalar beta times C, an M×N matrix of the type of D, which is
  /// read, and counts where it is NaN, whatever beta is.
  bool c = false;
  /// Plus Bias[n], a vector of N of the type of D.
  bool bias = false;
  /// Stored, as it is here, to Auxiliary, an M×N matrix of the type of D.
  bool auxiliary = false;
  /// Of gelu the form with tanh, which the GPU approximates: some 5e-4 off.
  Activation activation = Activation::none;
  /// The largest magnitude so far, but for NaN, combined with Amax[0], f32.
  bool amax = false;
  /// Times the scalar scale_d, before it is rounded to D's type.
  bool scale_d = false;

  bool operator==(const GemmForm &) const = default;
};

/// Extents of a problem, in elements, and how many of it a batch has; each may
/// be 0. Without K the product is zeros; where D has no elements a launch does
/// nothing.
struct GemmSizes {
  int64_t m, n, k, batch = 1;
  /// Elements from a row of A, of B, of D, C and Auxiliary, as it is stored, to
  /// the next one; 0 where none lie between them.
  int64_t lda = 0, ldb = 0, ldd = 0;
};

/// The types with the alignments that rows of these sizes have, where each
/// matrix begins on 16 bytes.
GemmTypes aligned_as(const GemmSizes &sizes, GemmTypes types);

/// The types with each matrix that is a vector, between whose elements nothing
/// lies (`lda`, `ldb` or `ldd` is 0), stored as one row: TMA takes such a row
/// of any length, and no rows of one element. A launch is given the same memory
/// as 1×K, 1×M or 1×N.
GemmTypes vectors_as_rows(const GemmSizes &sizes, GemmTypes types);

/// How the work of a GEMM is cut up and ordered.
struct GemmConfig {
  /// The tile of D that a role (ping-pong: a warpgroup) works on, and the
  /// depth in K of a stage, in elements. With `swapped` the tile is one of Dᵀ:
  /// `bm` cuts N and `bn` cuts M.
  int64_t bm = 128, bn = 256, bk = 64;
  int64_t stages = 4;
  int64_t warpgroups = 2;
  /// CTAs of a cluster along the dimensions of `bm` and of `bn`; they share
  /// their loads by multicast.
  int64_t cluster_m = 1, cluster_n = 1;
  /// Split-K: parts of K, each computed by another CTA of the cluster, which
  /// adds them.
  int64_t split = 1;
  /// Each warpgroup has a tile of its own, and one's epilogue runs under the
  /// other's math.
  bool ping_pong = false;
  /// Tiles of Dᵀ = B · Aᵀ are computed: M is cut by `bn`, which has finer
  /// steps, and N by `bm`.
  bool swapped = false;
  /// The steps of K of the last tiles, those that make up no whole wave of
  /// CTAs, are spread evenly: CTAs that share a tile add up through
  /// `gemm_workspace`, in a fixed order.
  bool stream_k = false;
  /// The next launch may start while this one runs.
  bool early_launch = false;
  /// Tiles along `bm` that are taken for each step along `bn`, and whether
  /// every other such group is taken backwards (`Raster::swizzled`).
  int64_t group = 8;
  bool alternating = false;
  /// Sixteenths of the cache lines of A and of B that L2 keeps as usual; it
  /// evicts the others first. Less than all where an operand is read once.
  int64_t kept_a = 16, kept_b = 16;
  /// A, or B, is first copied to `gemm_workspace`, by all CTAs, to rows that
  /// begin on cache lines and, of types that wgmma does not transpose, with K
  /// contiguous.
  bool prepared_a = false, prepared_b = false;
  /// A, or B, of a type that wgmma does not transpose and without K contiguous,
  /// is transposed on its way from the stages to the tensor cores, and not
  /// prepared: what the tile's rows are cut from (A, or with `swapped` B) by
  /// registers, the other one by a warpgroup more.
  bool transposed_a = false, transposed_b = false;
  /// A tile that lies across the edge of A or B is copied in parts, and those
  /// that lie outside are other rows of the matrix: TMA takes twice as long for
  /// rows outside, which it fills with zeros. For operands that it loads with K
  /// contiguous, one of them or both, prepared ones, too.
  bool edge_parts = false;
  /// Warps that load: 1 for TMA; 4 or 8 where rows of A or of B that are not
  /// prepared begin on less than 16 bytes, which they load and shift.
  int64_t load_warps = 1;
  /// Groups that these warps form and that take stages in turns: so many stages
  /// can be on their way at once, and each thread holds more of one. It divides
  /// `load_warps` and `stages`.
  int64_t load_groups = 1;
  /// Of f32: the two products of a small part are of bf16, which takes two
  /// thirds of the time and gives a relative error of 6.6e-7 to 8.5e-7, as f32
  /// summed in order has it where K is some 1,500; without, of 1.3e-7 to
  /// 4.0e-7, more with K. For stages of 32 and up to two warpgroups.
  bool bf16_parts = false;
  /// Columns of the tile that are staged in shared memory at a time, the last
  /// ones maybe fewer, and how many such buffers there are; with 0 they are
  /// staged in a stage of the ring, as many at a time as that holds.
  int64_t store_columns = 64, store_buffers = 2;

  bool operator==(const GemmConfig &) const = default;

  /// "128x256x64 s4 w2 c2x1 g8 e64x2": what `parse` reads.
  std::string str() const;
  /// Throws `Error`, with the caller's line, where the text is none of `str`.
  static GemmConfig parse(std::string_view text,
                          SourceLocation where = SourceLocation::current());
};

std::ostream &operator<<(std::ostream &out, const GemmConfig &config);

/// The kernel of a configuration: inputs A and B, output D and what the form
/// names, for every M, N and K, each of the shape in which it is stored.
/// Refused, as every kernel is, with what `why_not` says where none can be
/// built.
Kernel gemm(const GemmTypes &types, const GemmConfig &config,
            const GemmForm &form = {},
            SourceLocation where = SourceLocation::current());

/// A tensor that a kernel needs beside those of the problem.
struct GemmWorkspace {
  std::string_view name;
  ElementType type;
  std::vector<int64_t> shape;
  /// What the kernel's sizes call its extents; empty for those that are fixed.
  std::vector<std::string_view> extents;
};

/// The workspace of a configuration for a problem and a grid of so many CTAs:
/// best as many as the device has SMs. Empty without `stream_k` and what is
/// prepared. It must be zeros before the first launch; each launch leaves it
/// ready for the next. Launches that can run at the same time need one each.
/// Throws `Error`, with the caller's line, for what no kernel can be built of.
std::vector<GemmWorkspace>
gemm_workspace(const GemmSizes &sizes, const GemmTypes &types,
               const GemmConfig &config, const GemmForm &form, int64_t ctas,
               SourceLocation where = SourceLocation::current());

} // namespace ashlar
