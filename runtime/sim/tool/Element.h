// Elements of a buffer in the description of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim::tool {

enum class Element : uint8_t {
  // clang-format off
  u8, s8, u16, s16, u32, s32, u64, s64,
  f16, bf16, tf32, f32, f64, e4m3, e5m2,
  // clang-format on
};

std::optional<Element> elementNamed(std::string_view name);
const char *name(Element element);
/// All names, for messages: "u8, s8, ...".
std::string elementNames();
unsigned sizeBytes(Element element);
bool isFloat(Element element);

/// The least and the greatest integer, as doubles.
double least(Element element), greatest(Element element);

/// Writes the value at `to`, rounded to nearest even; beyond the range of an
/// integer, its end.
void encode(Element element, double value, uint8_t *to);
double decode(Element element, const uint8_t *from);

/// Integers of 64 bits, which a double can't hold.
void encodeInteger(Element element, uint64_t value, uint8_t *to);

} // namespace ashlar::sim::tool
