// What wgmma has in registers: its accumulator, A, and the metadata of a sparse
// A.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// Of each 16 rows of a warp, the two that a lane has of A in registers and of
/// the accumulator: as the PTX ISA numbers them, or neighbours. wgmma knows no
/// numbers of rows, so both are its own, as long as both lie alike; bytes that
/// are loaded from columns come as neighbours.
enum class RowsOfLane { eight_apart, neighbours };

/// In which order wgmma has the columns of the accumulator, as B's rows lie in
/// shared memory: all one after another, or 0, 2, 4 and so on before 1, 3, 5.
/// Then the four lanes that share a row hold four neighbours of each 16 columns
/// each, as they do of an A of single bytes.
enum class ColumnOrder { ascending, even_first };

/// In which order B's columns of K lie: all one after another, or of each eight
/// 0, 4, 1, 5, 2, 6, 3, 7. Then a lane holds of an A of 16 bits what it holds
/// of one of 32.
enum class DepthOrder { ascending, interleaved };

/// The accumulator of wgmma for a role of so many warpgroups, each of which
/// owns m / warpgroups contiguous rows (PTX ISA, "Register fragments for
/// wgmma.mma_async.m64nNk"). Rows per warpgroup are a multiple of 64 and
/// columns of 8, or with the even ones first of 16.
Result<FragmentLayout>
accumulatorLayout(int64_t m, int64_t n, int64_t warpgroups,
                  RowsOfLane rows = RowsOfLane::eight_apart,
                  ColumnOrder columns = ColumnOrder::ascending);

/// A of wgmma in registers, for elements of 1, 2 or 4 bytes and a role of so
/// many warpgroups (PTX ISA, "Register fragments for wgmma.mma_async.m64nNk16"
/// and those for k8 and k32): a register has what lies in 4 bytes of a row,
/// four of them 16 rows of 32 bytes of a warp. Rows per warpgroup are a
/// multiple of 64 and columns of 32 bytes; interleaved, of 16 bits.
Result<FragmentLayout> operandLayout(int64_t m, int64_t k, int64_t warpgroups,
                                     int64_t elementBytes,
                                     RowsOfLane rows = RowsOfLane::eight_apart,
                                     DepthOrder depth = DepthOrder::ascending);

/// The metadata of a sparse A of wgmma, elements of 16 bits, for elements of A
/// of 1, 2 or 4 bytes (PTX ISA, "Sparse matrix storage" of wgmma.mma_async.sp,
/// and what an H200 does): a register has two of them, which say of one row of
/// A and the one 8 further, or of one row where A has elements of 1 byte.
/// Columns are a multiple of what one instruction needs.
Result<FragmentLayout> metadataLayout(int64_t m, int64_t columns,
                                      int64_t warpgroups, int64_t elementBytes);

/// In which lanes of each four the metadata of an instruction lie, and in which
/// of the registers for 64 rows.
struct MetadataPlace {
  int64_t registerNumber, selector;
};
/// Of the instruction that multiplies the `step`th 32 bytes that A has of a
/// row.
MetadataPlace metadataPlace(int64_t step, int64_t columns,
                            int64_t elementBytes);

} // namespace ashlar::layout
