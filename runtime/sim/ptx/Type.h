// The types of PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar::sim::ptx {

enum class Type : uint8_t {
  // clang-format off
  s8, s16, s32, s64,
  u8, u16, u32, u64,
  b8, b16, b32, b64, b128,
  f16, f16x2, bf16, bf16x2, tf32, f32, f32x2, f64,
  e4m3, e5m2, e4m3x2, e5m2x2,
  s16x2, u16x2,
  pred,
  // clang-format on
};

/// The type that "f32" or "b128" names (no dot), if any.
std::optional<Type> typeNamed(std::string_view name);

/// "f32".
std::string_view name(Type type);

/// Bits of a value: 16 for bf16, 32 for tf32, 16 for e4m3x2, 1 for pred.
unsigned bits(Type type);

/// Bytes that a variable of the type takes: bits rounded up to bytes.
inline unsigned sizeBytes(Type type) { return (bits(type) + 7) / 8; }

bool isSigned(Type type); // s8 .. s64, s16x2
bool isFloat(Type type);  // f16 .. f64, tf32, fp8, and their pairs

} // namespace ashlar::sim::ptx
