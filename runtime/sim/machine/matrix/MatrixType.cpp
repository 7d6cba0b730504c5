#include "runtime/sim/machine/matrix/MatrixType.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <array>
#include <cstring>

namespace ashlar::sim {

namespace {

struct Entry {
  std::string_view name;
  unsigned bits;
};

constexpr std::array<Entry, 13> entries = {{{"f16", 16},
                                            {"bf16", 16},
                                            {"tf32", 32},
                                            {"f32", 32},
                                            {"f64", 64},
                                            {"e4m3", 8},
                                            {"e5m2", 8},
                                            {"s8", 8},
                                            {"u8", 8},
                                            {"s4", 4},
                                            {"u4", 4},
                                            {"b1", 1},
                                            {"s32", 32}}};

/// The low or the high half of a byte, as s4 or u4.
int32_t nibble(uint8_t byte, bool high, bool isSigned) {
  int32_t value = high ? byte >> 4 : byte & 15;
  return isSigned && value > 7 ? value - 16 : value;
}

} // namespace

std::optional<MatrixType> matrixTypeNamed(std::string_view name) {
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name)
      return static_cast<MatrixType>(i);
  return std::nullopt;
}

std::string_view name(MatrixType type) {
  return entries[static_cast<size_t>(type)].name;
}

unsigned bits(MatrixType type) {
  return entries[static_cast<size_t>(type)].bits;
}

bool isIntegerOperand(MatrixType type) {
  return type >= MatrixType::s8 && type <= MatrixType::b1;
}

void widen(MatrixType type, const void *packed, float *out, size_t count) {
  switch (type) {
  case MatrixType::f16:
    return f16ToFloat(static_cast<const uint16_t *>(packed), out, count);
  case MatrixType::bf16:
    return bf16ToFloat(static_cast<const uint16_t *>(packed), out, count);
  case MatrixType::tf32:
    return tf32ToFloat(static_cast<const uint32_t *>(packed), out, count);
  case MatrixType::e4m3:
    return e4m3ToFloat(static_cast<const uint8_t *>(packed), out, count);
  case MatrixType::e5m2:
    return e5m2ToFloat(static_cast<const uint8_t *>(packed), out, count);
  default:
    std::memcpy(out, packed, count * sizeof(float));
  }
}

void widen(MatrixType type, const void *packed, int32_t *out, size_t count) {
  const auto *bytes = static_cast<const uint8_t *>(packed);
  switch (type) {
  case MatrixType::u8:
    for (size_t i = 0; i < count; ++i)
      out[i] = bytes[i];
    return;
  case MatrixType::s8:
    for (size_t i = 0; i < count; ++i)
      out[i] = static_cast<int8_t>(bytes[i]);
    return;
  case MatrixType::s4:
  case MatrixType::u4:
    for (size_t i = 0; i < count; ++i)
      out[i] = nibble(bytes[i / 2], i % 2 != 0, type == MatrixType::s4);
    return;
  default:
    std::memcpy(out, packed, count * sizeof(int32_t));
  }
}

void widen(MatrixType, const void *packed, double *out, size_t count) {
  std::memcpy(out, packed, count * sizeof(double));
}

} // namespace ashlar::sim
