// Shared tiles as wgmma operands: the matrix descriptor, read out of the
// layout and checked against it (PTX ISA, "Asynchronous warpgroup level matrix
// shared memory layout").

#pragma once

#include "compiler/layout/Swizzle.h"

namespace ashlar::layout {

/// Which of the two dimensions is contiguous in shared memory.
enum class Major { K, MN };

/// What the matrix descriptor says of an operand, besides its address.
struct WgmmaOperand {
  Major major;
  int64_t leadingBytes, strideBytes;
  /// 0 to 3: rows of 16, 32, 64 or 128 bytes.
  int swizzleBits;

  bool operator==(const WgmmaOperand &other) const = default;
};

/// The same tile, of two modes, with these swapped.
SwizzledLayout transposed(const SwizzledLayout &tile);

/// The operand of one wgmma instruction that reads mn x k elements from the
/// start of `tile`, whose modes are (MN, K) and whose offsets are bytes.
///
/// `contiguousMode` is the mode that the caller takes for contiguous (0: MN, 1:
/// K). `mn` is 64 for A and 8 to 256 for B; `k` is 32 / elementBytes, of B
/// twice that where A is sparse.
///
/// Refuses unless the tile is the canonical layout of the instruction at every
/// coordinate, and for MN-major operands of elements that are not 2 bytes wide,
/// which wgmma cannot transpose.
Result<WgmmaOperand> wgmmaOperand(const SwizzledLayout &tile,
                                  int contiguousMode, int64_t elementBytes,
                                  int64_t mn, int64_t k);

/// How far, in bytes before the swizzle, the operand moves with each advance of
/// `elements` along `mode`; 0 if the mode ends there. It can be added to the
/// address of an aligned tile, for the swizzle acts on address bits.
///
/// Refuses where the distance varies along the mode or is not a whole number of
/// 16 bytes. At a single position the distance is tile.layout.mode(mode)(i).
Result<int64_t> stepBytes(const SwizzledLayout &tile, int mode,
                          int64_t elements);

/// The 64-bit matrix descriptor without the start address: bits 16-29 the
/// leading and 32-45 the stride byte offset, in units of 16 bytes, bits 62-63
/// the swizzle (0 none, 1 128 bytes, 2 64, 3 32).
Result<uint64_t> descriptorBits(const WgmmaOperand &operand);

} // namespace ashlar::layout
