// What sm_90a has: the one place where the language, the passes and the kernels
// look it up. Each number is from the CUDA programming guide, "Technical
// specifications per compute capability", 9.0, or from the PTX ISA section that
// is named. The simulator keeps numbers of its own, as it judges these.

#pragma once

#include <algorithm>
#include <cstdint>

namespace ashlar::target {

//===-- Threads -----------------------------------------------------------===//

inline constexpr int64_t warpThreads = 32, warpgroupWarps = 4,
                         warpgroupThreads = warpThreads * warpgroupWarps;
/// Of a CTA.
inline constexpr int64_t mostWarps = 32, mostThreads = mostWarps * warpThreads;
/// Of a multiprocessor.
inline constexpr int64_t mostCtas = 32, smThreads = 2048;
constexpr bool fitOneSm(int64_t ctas, int64_t threads) {
  return ctas >= 1 && ctas <= mostCtas && ctas * threads <= smThreads;
}
/// CTAs of a cluster on any GPU of the architecture.
inline constexpr int64_t portableCluster = 8;
/// Of a CTA; number 0 is bar.sync's own (PTX ISA, "bar").
inline constexpr int64_t namedBarriers = 16;

//===-- Registers ---------------------------------------------------------===//

/// Of a multiprocessor, each of 32 bits.
inline constexpr int64_t fileRegisters = 64 * 1024;
/// What one thread can address.
inline constexpr int64_t mostRegisters = 255;
/// What a thread must have to call a function of the driver's, as `vprintf`
/// (found by running: with fewer the call is an illegal instruction).
inline constexpr int64_t callRegisters = 32;
/// Registers are handed out to warps in steps of so many for each thread.
inline constexpr int64_t registerStep = 8;
/// Budgets of roles. setmaxnreg itself goes from 24 to 256 (PTX ISA,
/// "setmaxnreg").
inline constexpr int64_t leastBudget = 24, mostBudget = 240;

constexpr bool isRegisterBudget(int64_t registers) {
  return registers % registerStep == 0 && registers >= leastBudget &&
         registers <= mostBudget;
}

/// Registers that each thread of a CTA starts with, and may have without a
/// budget: the register file shared out evenly to whole warpgroups in steps, as
/// ptxas does when so many CTAs fill a multiprocessor. Each quarter of it has a
/// quarter of the registers and every fourth warp.
constexpr int64_t entryRegisters(int64_t threads, int64_t ctas = 1) {
  int64_t warpgroups = (threads + warpgroupThreads - 1) / warpgroupThreads;
  int64_t each = fileRegisters / (ctas * warpgroups * warpgroupThreads);
  return std::min(each, mostRegisters) / registerStep * registerStep;
}

/// What a thread was seen to need besides fragments: addresses, counters and
/// descriptors.
inline constexpr int64_t registersBesideFragments = 40;

//===-- Shared memory -----------------------------------------------------===//

/// What a CTA can have, and what the hardware takes for each beside it, of what
/// a multiprocessor has.
inline constexpr int64_t sharedBytes = 227 * 1024, reservedSharedBytes = 1024,
                         smSharedBytes = 228 * 1024;
/// What each of so many CTAs of a multiprocessor can have.
constexpr int64_t sharedBytesOfEach(int64_t ctas) {
  return std::min(sharedBytes, smSharedBytes / ctas - reservedSharedBytes);
}
/// The rows after which a swizzle repeats, whose start it is aligned to; the
/// widest of them (PTX ISA, "Swizzling modes").
inline constexpr int64_t swizzleRows = 8, mostSwizzleBytes = 128;
constexpr bool isSwizzleBytes(int64_t bytes) {
  return bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128;
}
/// An mbarrier, and what it counts to, in arrivals and in bytes (PTX ISA,
/// "Contents of the mbarrier object").
inline constexpr int64_t mbarrierBytes = 8, mbarrierMost = (1 << 20) - 1;

//===-- TMA ---------------------------------------------------------------===//

/// Dimensions of a tensor, and elements of a box along one
/// (cuTensorMapEncodeTiled).
inline constexpr int64_t tmaDimensions = 5, tmaBoxExtent = 256, tmaMostStep = 8;
/// Alignment of a box in shared memory (PTX ISA, "cp.async.bulk.tensor"), and
/// of addresses, strides and rows in global memory.
inline constexpr int64_t tmaSharedAlignment = 128, tmaAlignment = 16;
/// Coordinates have 32 bits. Sizes and extents are so much smaller that the end
/// of a tile that begins in a tensor has 32 bits too; what has a larger index
/// lies outside of every tensor.
inline constexpr int64_t largestExtent = (int64_t(1) << 31) - (1 << 20),
                         largestIndex = (int64_t(1) << 31) - (1 << 19);

//===-- wgmma -------------------------------------------------------------===//

/// Rows of A, and bytes of a row of A or column of B that one instruction reads
/// (PTX ISA, "wgmma.mma_async").
inline constexpr int64_t wgmmaRows = 64, wgmmaDepthBytes = 32;
/// Columns of B: up to so many, in steps, which are wider for 8-bit integers.
inline constexpr int64_t wgmmaMostColumns = 256, wgmmaColumnStep = 8,
                         wgmmaIntegerColumnStep = 16;

constexpr int64_t wgmmaStep(bool integers) {
  return integers ? wgmmaIntegerColumnStep : wgmmaColumnStep;
}

/// Elements of a row of a sparse A to one that lies in memory, and columns of A
/// that 16 bits of its metadata say of: four bits say of four elements, or of
/// two of 4 bytes (PTX ISA, "Sparse matrix storage" of wgmma.mma_async.sp).
inline constexpr int64_t sparseRatio = 2;
constexpr int64_t metadataColumns(int64_t elementBytes) {
  return elementBytes == 4 ? 8 : 16;
}

/// Whether an instruction has so many columns. For 8-bit integers 8 and 24 are
/// not in steps of 16.
constexpr bool isWgmmaColumns(int64_t columns, bool integers) {
  return columns >= wgmmaColumnStep && columns <= wgmmaMostColumns &&
         (columns % wgmmaStep(integers) == 0 || columns == 8 || columns == 24);
}

/// Bits of the address and byte offsets of a matrix descriptor, in units of 16
/// bytes (PTX ISA, "Matrix-descriptor format").
inline constexpr int64_t descriptorUnit = 16, descriptorBits = 14;

} // namespace ashlar::target
