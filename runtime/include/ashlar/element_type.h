#pragma once

#include <cstdint>
#include <string_view>

namespace ashlar {

/// What one element of a tensor or tile is. `tf32` is an f32 in memory of which
/// the tensor cores read the upper 19 bits. `s4`, `u4` and `e2m1` have four
/// bits; `e8m0` is a power of two, a scale.
enum class ElementType : uint8_t {
  bf16,
  f16,
  f32,
  tf32,
  e4m3,
  e5m2,
  s8,
  u8,
  s16,
  s32,
  s4,
  u4,
  e2m1,
  e8m0
};

inline constexpr int elementTypeCount = 14;

/// Elements that lie together in memory, and are moved together: of four bits
/// two share a byte, the first one its low half; of other types it is one. Rows
/// have a multiple of so many.
constexpr int64_t pack_length(ElementType type) {
  switch (type) {
  case ElementType::s4:
  case ElementType::u4:
  case ElementType::e2m1:
    return 2;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::tf32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s16:
  case ElementType::s32:
  case ElementType::e8m0:
    return 1;
  }
  return 1;
}

/// Bytes that `pack_length` elements take in memory.
constexpr int64_t size_bytes(ElementType type) {
  switch (type) {
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::s16:
    return 2;
  case ElementType::f32:
  case ElementType::tf32:
  case ElementType::s32:
    return 4;
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s4:
  case ElementType::u4:
  case ElementType::e2m1:
  case ElementType::e8m0:
    return 1;
  }
  return 0;
}

/// The name an author writes, such as "bf16".
constexpr std::string_view name(ElementType type) {
  switch (type) {
  case ElementType::bf16:
    return "bf16";
  case ElementType::f16:
    return "f16";
  case ElementType::f32:
    return "f32";
  case ElementType::tf32:
    return "tf32";
  case ElementType::e4m3:
    return "e4m3";
  case ElementType::e5m2:
    return "e5m2";
  case ElementType::s8:
    return "s8";
  case ElementType::u8:
    return "u8";
  case ElementType::s16:
    return "s16";
  case ElementType::s32:
    return "s32";
  case ElementType::s4:
    return "s4";
  case ElementType::u4:
    return "u4";
  case ElementType::e2m1:
    return "e2m1";
  case ElementType::e8m0:
    return "e8m0";
  }
  return "?";
}

inline constexpr ElementType bf16 = ElementType::bf16;
inline constexpr ElementType f16 = ElementType::f16;
inline constexpr ElementType f32 = ElementType::f32;
inline constexpr ElementType tf32 = ElementType::tf32;
inline constexpr ElementType e4m3 = ElementType::e4m3;
inline constexpr ElementType e5m2 = ElementType::e5m2;
inline constexpr ElementType s8 = ElementType::s8;
inline constexpr ElementType u8 = ElementType::u8;
inline constexpr ElementType s16 = ElementType::s16;
inline constexpr ElementType s32 = ElementType::s32;
inline constexpr ElementType s4 = ElementType::s4;
inline constexpr ElementType u4 = ElementType::u4;
inline constexpr ElementType e2m1 = ElementType::e2m1;
inline constexpr ElementType e8m0 = ElementType::e8m0;

} // namespace ashlar
