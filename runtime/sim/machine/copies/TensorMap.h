// The tensor map: how TMA walks a tensor in global memory (PTX ISA, "Tensors";
// CUDA driver API, cuTensorMapEncodeTiled).
//
// The 128 bytes of the hardware's map are not documented. Ours are, all numbers
// little-endian:
//
//   0   "AshlarTM", which tells a map from other bytes
//   8   checksum of what follows, 4 bytes, of which bit 21 does not count:
//       CUTLASS clears it in the maps of small tensors, to mend what drivers
//       before CUDA 13.1 encode
//   12  rank minus 1, element type, interleave, swizzle: a byte each
//   16  address of the tensor
//   24  strides in bytes of dimensions 1 on, 8 bytes each; the fifth is spare
//   64  extents, 8 bytes each
//   104 box, 2 bytes each
//   114 element strides, a byte each
//   119 L2 promotion, fill: a byte each
//   121 zeros
//
// A number beyond its field becomes the greatest that fits, which no rule
// allows.
//
// All zeros is a blank map: tensormap.replace makes one of it field by field.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ashlar::sim {

/// In the order of CUtensorMapDataType.
enum class TensorElement : uint8_t {
  // clang-format off
  u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32Ftz, tf32, tf32Ftz,
  // clang-format on
};
inline constexpr unsigned tensorElementCount = 13;

/// "bf16", "f32.ftz".
const char *name(TensorElement element);
uint32_t sizeBytes(TensorElement element);
bool isFloat(TensorElement element);

inline constexpr unsigned maxTensorRank = 5;
inline constexpr uint64_t tensorMapBytes = 128;
inline constexpr uint64_t tensorMapAlignment = 64;

/// The fields, with the values of the driver's enumerations. Dimensions from
/// the innermost.
struct TensorMap {
  uint32_t element = 0; // TensorElement
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, maxTensorRank> extents = {1, 1, 1, 1, 1};
  /// Of dimensions 1 on: strideBytes[0] is that of dimension 1. The last is
  /// never used; tensormap.replace may write it.
  std::array<uint64_t, maxTensorRank> strideBytes = {};
  std::array<uint32_t, maxTensorRank> box = {1, 1, 1, 1, 1};
  std::array<uint32_t, maxTensorRank> elementStrides = {1, 1, 1, 1, 1};
  uint32_t interleave = 0;  // none, 16, 32 bytes
  uint32_t swizzle = 0;     // none, 32, 64, 128 bytes
  uint32_t l2Promotion = 0; // none, 64, 128, 256 bytes
  uint32_t fill = 0;        // zeros, NaN

  TensorElement elementType() const {
    return static_cast<TensorElement>(element);
  }
  uint32_t elementBytes() const { return sizeBytes(elementType()); }
  uint32_t swizzleBytes() const { return swizzle ? 16u << swizzle : 0; }
  bool operator==(const TensorMap &) const = default;
};

/// The rule of cuTensorMapEncodeTiled that the fields break, as a sentence; or
/// none. Only a map that breaks none can be used.
std::optional<std::string> brokenRule(const TensorMap &map);

/// Writes the map's 128 bytes, or returns the rule that it breaks.
std::optional<std::string> encodeTensorMap(uint64_t opaque[16],
                                           const TensorMap &map);

/// Writes the bytes whether the fields make sense or not: they are checked
/// when the map is used. For tensormap.replace.
void packTensorMap(uint64_t opaque[16], const TensorMap &map);

/// Reads the bytes; why they are no map of ours, or none. Does not look at the
/// rules. With `blankAllowed`, all zeros is a map of zeros.
std::optional<std::string> unpackTensorMap(const uint64_t opaque[16],
                                           TensorMap &map,
                                           bool blankAllowed = false);

} // namespace ashlar::sim
