// The matrix descriptor of wgmma: where in shared memory the elements of an
// operand lie (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory
// Layout").
//
// The operand is read in chunks of 16 bytes. A K-major one has two along K for
// each of its rows; an MN-major one, of 16-bit elements only, has one for each
// 8 elements along M or N and each k. The canonical layouts, in bytes, with S
// the width of the swizzle (16 where there is none):
//
//   K-major   (m % 8) S + (m / 8) stride + (chunk along K) 16
//             the chunks behind the width S lie `leading` further: the second
//             without a swizzle, the third of four of a sparse product when S
//             is 32
//   MN-major  (m % (S / 2)) 2 + (m / (S / 2)) leading
//             + (k % 8) S + (k / 8) stride
//             without a swizzle leading and stride change places
//
// The swizzle then exchanges bits of the address in shared memory: bits 4 and
// up are xored with as many bits from bit 7 on, counted from `baseOffset`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::sim {

struct WgmmaDescriptor {
  uint32_t start = 0;         // bits 0-13, times 16
  uint32_t leading = 0;       // bits 16-29, times 16
  uint32_t stride = 0;        // bits 32-45, times 16
  uint32_t baseOffset = 0;    // bits 49-51
  uint32_t swizzleBytes = 16; // bits 62-63: 16, 128, 64, 32
  explicit WgmmaDescriptor(uint64_t bits);

  /// The shared address of a chunk: `outer` counts rows (K-major) or groups of
  /// 8 along M or N; `inner` chunks along K, or single k.
  uint32_t chunk(bool kMajor, uint32_t outer, uint32_t inner) const;

  /// Addresses of the chunks of rows (or columns) [first, first + count) of an
  /// operand that is 32 bytes deep (`depth` chunks when K-major), outer by
  /// outer for K-major, k by k for MN-major.
  void chunks(bool kMajor, uint32_t first, uint32_t count, uint32_t depth,
              std::vector<uint32_t> &out) const;

  /// "start 0x4000, leading 16, stride 1024 bytes, swizzle 128 bytes".
  std::string text() const;
};

/// The rule that the bits break by themselves, or "".
std::string brokenRule(uint64_t bits);

} // namespace ashlar::sim
