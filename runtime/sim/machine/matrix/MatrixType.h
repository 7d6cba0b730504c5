// The element types of matrix operands, some of which no register can be
// declared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar::sim {

enum class MatrixType : uint8_t {
  // clang-format off
  f16, bf16, tf32, f32, f64, e4m3, e5m2,
  s8, u8, s4, u4, b1, s32,
  // clang-format on
};

std::optional<MatrixType> matrixTypeNamed(std::string_view name);
std::string_view name(MatrixType type);
/// Bits of an element in a register or in memory: 32 for tf32.
unsigned bits(MatrixType type);
/// s8, u8, s4, u4, b1: what is accumulated in s32.
bool isIntegerOperand(MatrixType type);
inline bool isEightBitFloat(MatrixType type) {
  return type == MatrixType::e4m3 || type == MatrixType::e5m2;
}

/// Widens packed elements, the first in the lowest bits, to the type in which
/// they are multiplied: floats of up to 32 bits (exact), integers but b1, and
/// f64 itself.
void widen(MatrixType type, const void *packed, float *out, size_t count);
void widen(MatrixType type, const void *packed, int32_t *out, size_t count);
void widen(MatrixType type, const void *packed, double *out, size_t count);

} // namespace ashlar::sim
