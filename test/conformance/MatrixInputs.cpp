#include "test/conformance/MatrixInputs.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace ashlar::conformance {

namespace {

/// A float format that is smaller than f32, by exponent and mantissa bits.
struct Format {
  const char *type;
  int exponentBits, mantissaBits;
};

constexpr std::array<Format, 6> formats = {{{"f16", 5, 10},
                                            {"bf16", 8, 7},
                                            {"tf32", 8, 23},
                                            {"f32", 8, 23},
                                            {"e4m3", 4, 3},
                                            {"e5m2", 5, 2}}};

/// The value cut off to the format; it must be within the format's range.
uint32_t bitsOf(float value, const Format &format) {
  const auto single = std::bit_cast<uint32_t>(value);
  const uint32_t sign = single >> 31;
  const int exponent = static_cast<int>(single >> 23 & 0xff) - 127;
  const int bias = (1 << (format.exponentBits - 1)) - 1;
  const uint32_t mantissa = (single & 0x7fffff) >> (23 - format.mantissaBits);
  uint32_t bits = 0;
  if (value != 0 && exponent + bias > 0)
    bits = static_cast<uint32_t>(exponent + bias) << format.mantissaBits |
           mantissa;
  return bits | sign << (format.exponentBits + format.mantissaBits);
}

/// Not the extremes of the range: sums of them with ones depend on how many
/// bits the hardware keeps.
uint32_t special(std::mt19937 &random, const Format &format) {
  const bool isE4m3 = std::string(format.type) == "e4m3";
  const uint32_t top = ((1u << format.exponentBits) - 1) << format.mantissaBits;
  const uint32_t nan = top | ((1u << format.mantissaBits) - 1);
  const uint32_t sign = 1u << (format.exponentBits + format.mantissaBits);
  const std::array<uint32_t, 5> specials = {0, sign, isE4m3 ? 0 : top,
                                            isE4m3 ? sign : top | sign, nan};
  // Mostly ones, so that not every sum becomes a NaN.
  if (random() % 12 != 0)
    return bitsOf(random() % 2 ? 1.0f : -0.5f, format);
  return specials[random() % specials.size()];
}

uint32_t denormal(std::mt19937 &random, const Format &format) {
  const auto bits = static_cast<uint32_t>(random());
  const uint32_t sign = 1u << (format.exponentBits + format.mantissaBits);
  return (bits >> 8 & ((1u << format.mantissaBits) - 1)) |
         (bits & 1 ? sign : 0);
}

uint32_t floatElement(std::mt19937 &random, const Format &format,
                      Values values) {
  switch (values) {
  case Values::small:
    return bitsOf(static_cast<float>(static_cast<int>(random() % 9) - 4),
                  format);
  case Values::special:
    return special(random, format);
  case Values::denormal:
    return denormal(random, format);
  default: {
    // The sum of twelve uniform numbers: the same on every host.
    float sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += static_cast<float>(random() >> 8) * 0x1p-24f;
    return bitsOf(sum, format);
  }
  }
}

} // namespace

unsigned elementBits(const std::string &type) {
  if (type == "b1")
    return 1;
  if (type.ends_with("64"))
    return 64;
  if (type.ends_with("32"))
    return 32;
  if (type.ends_with("16"))
    return 16;
  return type == "s4" || type == "u4" ? 4 : 8;
}

std::vector<uint8_t> elements(std::mt19937 &random, const std::string &type,
                              size_t count, Values values) {
  const unsigned bits = elementBits(type);
  std::vector<uint8_t> bytes(count * bits / 8);
  if (type == "f64") {
    for (size_t i = 0; i < count; ++i) {
      double value = static_cast<double>(static_cast<int>(random() % 9) - 4);
      if (values != Values::small)
        value += static_cast<double>(random()) * 0x1p-32 +
                 static_cast<double>(random()) * 0x1p-64;
      std::memcpy(bytes.data() + 8 * i, &value, 8);
    }
    return bytes;
  }
  for (const Format &format : formats)
    if (type == format.type) {
      for (size_t i = 0; i < count; ++i) {
        const uint32_t element = floatElement(random, format, values);
        std::memcpy(bytes.data() + i * bits / 8, &element, bits / 8);
      }
      return bytes;
    }
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  if (type == "s32" && values != Values::any)
    for (size_t i = 0; i < count; ++i) {
      const int32_t value = static_cast<int32_t>(random() % 2001) - 1000;
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    }
  return bytes;
}

std::vector<uint8_t> sparseMetadata(std::mt19937 &random,
                                    const std::string &type, size_t lanes) {
  constexpr std::array<uint8_t, 6> pairs = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  std::vector<uint8_t> bytes(4 * lanes);
  auto places = [&] {
    if (type == "tf32")
      return random() % 2 ? 0x4u : 0xeu;
    return uint32_t(pairs[random() % pairs.size()]);
  };
  for (uint8_t &byte : bytes) {
    const uint32_t low = places();
    byte = static_cast<uint8_t>(low | places() << 4);
  }
  return bytes;
}

std::string registerList(const std::string &prefix, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + prefix + std::to_string(i);
  return text + "}";
}

Buffer resultBuffer(std::vector<uint8_t> bytes, const std::string &type,
                    Values values, double absolute) {
  Buffer buffer;
  buffer.bytes = std::move(bytes);
  buffer.isOutput = true;
  buffer.element = type;
  if (type == "s32")
    return buffer;
  if (values == Values::normal) {
    buffer.compare = Compare::close;
    buffer.absolute = absolute;
    buffer.relative = type == "f16" ? 1e-3 : 1e-6;
  } else if (values == Values::special) {
    buffer.compare = Compare::nanBits;
  }
  return buffer;
}

} // namespace ashlar::conformance
