// Comparing outputs element by element.
#include "runtime/sim/machine/numbers/Formats.h"
#include "test/conformance/Suite.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace ashlar::conformance {

namespace {

struct Element {
  unsigned bytes = 4;
  bool isFloat = false;
};

Element elementNamed(const std::string &name) {
  if (name == "f64")
    return {8, true};
  if (name == "u64" || name == "s64" || name == "b64")
    return {8, false};
  if (name == "f16" || name == "bf16")
    return {2, true};
  if (name == "u16" || name == "s16" || name == "b16")
    return {2, false};
  if (name == "e4m3" || name == "e5m2")
    return {1, true};
  if (name == "u8" || name == "s8" || name == "b8")
    return {1, false};
  if (name == "f32" || name == "tf32")
    return {4, true};
  return {4, false};
}

uint64_t bitsAt(const std::vector<uint8_t> &bytes, size_t index,
                unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

double valueOf(const std::string &name, uint64_t bits) {
  auto low = static_cast<uint32_t>(bits);
  if (name == "f64")
    return std::bit_cast<double>(bits);
  if (name == "f16")
    return sim::decode(low, sim::f16Format);
  if (name == "bf16")
    return sim::decode(low, sim::bf16Format);
  if (name == "e4m3")
    return sim::decode(low, sim::e4m3Format);
  if (name == "e5m2")
    return sim::decode(low, sim::e5m2Format);
  if (name == "f32" || name == "tf32")
    return std::bit_cast<float>(low);
  if (name[0] == 's')
    return static_cast<double>(static_cast<int32_t>(low));
  return static_cast<double>(bits);
}

bool isNan(const Buffer &buffer, uint64_t bits) {
  return elementNamed(buffer.element).isFloat &&
         std::isnan(valueOf(buffer.element, bits));
}

bool agree(const Buffer &buffer, uint64_t expected, uint64_t actual) {
  if (expected == actual)
    return true;
  if (buffer.compare == Compare::bits)
    return false;
  if (isNan(buffer, expected) || isNan(buffer, actual))
    return isNan(buffer, expected) && isNan(buffer, actual);
  if (buffer.compare == Compare::nanBits)
    return false;
  double a = valueOf(buffer.element, actual),
         b = valueOf(buffer.element, expected);
  if (std::isinf(a) || std::isinf(b))
    return a == b;
  return std::fabs(a - b) <= buffer.absolute + buffer.relative * std::fabs(b);
}

std::string describeValue(const Buffer &buffer, uint64_t bits) {
  char text[80];
  unsigned digits = 2 * elementNamed(buffer.element).bytes;
  if (elementNamed(buffer.element).isFloat)
    std::snprintf(
        text, sizeof text, "0x%0*llx (%.9g)", static_cast<int>(digits),
        static_cast<unsigned long long>(bits), valueOf(buffer.element, bits));
  else
    std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(digits),
                  static_cast<unsigned long long>(bits));
  return text;
}

std::string compareBuffer(const Buffer &buffer, size_t number,
                          const std::vector<uint8_t> &expected,
                          const std::vector<uint8_t> &actual) {
  unsigned size = elementNamed(buffer.element).bytes;
  size_t differing = 0, count = expected.size() / size;
  std::string first;
  for (size_t index = 0; index < count; ++index) {
    uint64_t a = bitsAt(expected, index, size), b = bitsAt(actual, index, size);
    if (agree(buffer, a, b))
      continue;
    if (!differing++)
      first = "buffer " + std::to_string(number) + ", element " +
              std::to_string(index) + " of " + buffer.element + ": " +
              describeValue(buffer, a) + " expected, " +
              describeValue(buffer, b) + " found";
  }
  return differing ? first + " (" + std::to_string(differing) + " of " +
                         std::to_string(count) + " differ)"
                   : "";
}

} // namespace

std::string compare(const Case &instance, const Outcome &expected,
                    const Outcome &actual) {
  size_t output = 0;
  for (size_t number = 0; number < instance.buffers.size(); ++number) {
    const Buffer &buffer = instance.buffers[number];
    if (!buffer.isOutput)
      continue;
    if (output >= expected.outputs.size() || output >= actual.outputs.size())
      return "an output is missing";
    std::string difference = compareBuffer(
        buffer, number, expected.outputs[output], actual.outputs[output]);
    if (!difference.empty())
      return difference;
    ++output;
  }
  return "";
}

uint64_t hashExactOutputs(const Case &instance, const Outcome &outcome) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  bool any = false;
  size_t output = 0;
  for (const Buffer &buffer : instance.buffers) {
    if (!buffer.isOutput || output >= outcome.outputs.size())
      continue;
    const std::vector<uint8_t> &bytes = outcome.outputs[output++];
    if (buffer.compare == Compare::close)
      continue;
    any = true;
    unsigned size = elementNamed(buffer.element).bytes;
    for (size_t index = 0; index < bytes.size() / size; ++index) {
      uint64_t bits = bitsAt(bytes, index, size);
      if (buffer.compare == Compare::nanBits && isNan(buffer, bits))
        bits = ~uint64_t(0);
      for (unsigned byte = 0; byte < 8; ++byte)
        hash = (hash ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3;
    }
  }
  return any ? hash : 0;
}

} // namespace ashlar::conformance
