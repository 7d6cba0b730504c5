#include "runtime/sim/tool/Element.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ashlar::sim::tool {
namespace {

constexpr const char *names[] = {"u8",   "s8",  "u16", "s16",  "u32",
                                 "s32",  "u64", "s64", "f16",  "bf16",
                                 "tf32", "f32", "f64", "e4m3", "e5m2"};

FloatFormat format(Element element) {
  switch (element) {
  case Element::f16:
    return f16Format;
  case Element::bf16:
    return bf16Format;
  case Element::e4m3:
    return e4m3Format;
  default:
    return e5m2Format;
  }
}

bool isSigned(Element element) {
  return element == Element::s8 || element == Element::s16 ||
         element == Element::s32 || element == Element::s64;
}

} // namespace

std::optional<Element> elementNamed(std::string_view text) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (text == names[i])
      return static_cast<Element>(i);
  return std::nullopt;
}

const char *name(Element element) {
  return names[static_cast<size_t>(element)];
}

std::string elementNames() {
  std::string all;
  for (const char *each : names)
    all += (all.empty() ? "" : ", ") + std::string(each);
  return all;
}

unsigned sizeBytes(Element element) {
  switch (element) {
  case Element::u8:
  case Element::s8:
  case Element::e4m3:
  case Element::e5m2:
    return 1;
  case Element::u16:
  case Element::s16:
  case Element::f16:
  case Element::bf16:
    return 2;
  case Element::u64:
  case Element::s64:
  case Element::f64:
    return 8;
  default:
    return 4;
  }
}

bool isFloat(Element element) { return element >= Element::f16; }

double least(Element element) {
  return isSigned(element)
             ? -std::ldexp(1.0, static_cast<int>(sizeBytes(element)) * 8 - 1)
             : 0;
}

double greatest(Element element) {
  const int bits = static_cast<int>(sizeBytes(element)) * 8;
  return std::ldexp(1.0, isSigned(element) ? bits - 1 : bits) - 1;
}

void encodeInteger(Element element, uint64_t value, uint8_t *to) {
  std::memcpy(to, &value, sizeBytes(element));
}

void encode(Element element, double value, uint8_t *to) {
  switch (element) {
  case Element::f64:
    std::memcpy(to, &value, sizeof(value));
    return;
  case Element::f32: {
    const auto rounded = static_cast<float>(value);
    std::memcpy(to, &rounded, sizeof(rounded));
    return;
  }
  case Element::tf32: {
    const uint32_t bits = sim::encode(value, tf32Format) << 13;
    std::memcpy(to, &bits, sizeof(bits));
    return;
  }
  case Element::f16:
  case Element::bf16:
  case Element::e4m3:
  case Element::e5m2: {
    const uint32_t bits = sim::encode(value, format(element));
    std::memcpy(to, &bits, sizeBytes(element));
    return;
  }
  default:
    break;
  }
  if (std::isnan(value))
    value = 0;
  const double whole = std::nearbyint(value);
  uint64_t bits = 0;
  // The greatest doubles below 2^63 and 2^64 are far below them.
  if (whole <= least(element))
    bits = isSigned(element) ? uint64_t(1) << (sizeBytes(element) * 8 - 1) : 0;
  else if (whole >= greatest(element))
    bits = isSigned(element) ? (uint64_t(1) << (sizeBytes(element) * 8 - 1)) - 1
                             : ~uint64_t(0);
  else
    bits = whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole))
                     : static_cast<uint64_t>(whole);
  encodeInteger(element, bits, to);
}

double decode(Element element, const uint8_t *from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, sizeBytes(element));
  switch (element) {
  case Element::f64:
    return std::bit_cast<double>(bits);
  case Element::f32:
  case Element::tf32:
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  case Element::f16:
  case Element::bf16:
  case Element::e4m3:
  case Element::e5m2:
    return sim::decode(static_cast<uint32_t>(bits), format(element));
  default:
    break;
  }
  if (!isSigned(element))
    return static_cast<double>(bits);
  const unsigned unused = 64 - sizeBytes(element) * 8;
  return static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
}

} // namespace ashlar::sim::tool
