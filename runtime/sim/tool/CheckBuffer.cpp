#include "runtime/sim/tool/CheckBuffer.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace ashlar::sim::tool {
namespace {

/// "[3, 5]" of an element by its number.
std::string coordinate(const std::vector<uint64_t> &shape, uint64_t element) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text =
        std::to_string(element % shape[d]) + (text.empty() ? "" : ", ") + text;
    element /= shape[d];
  }
  return "[" + text + "]";
}

std::string shown(Element element, const uint8_t *bytes) {
  char text[40];
  if (isFloat(element)) {
    std::snprintf(text, sizeof(text), "%.9g", decode(element, bytes));
    return text;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeBytes(element));
  if (least(element) == 0)
    return std::to_string(bits);
  const unsigned unused = 64 - sizeBytes(element) * 8;
  return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
}

} // namespace

Check checkBuffer(const Buffer &buffer, const std::vector<uint8_t> &result) {
  const Expectation &expected = *buffer.expected;
  const unsigned size = sizeBytes(buffer.element);
  Check check;
  check.buffer = buffer.name;
  check.elements = result.size() / size;
  for (uint64_t i = 0; i < check.elements; ++i) {
    const uint8_t *is = &result[i * size];
    const uint8_t *should = &expected.bytes[i * sizeBytes(expected.element)];
    const bool sameType = expected.element == buffer.element;
    if (sameType && std::memcmp(is, should, size) == 0)
      continue;
    const double value = decode(buffer.element, is);
    const double wanted = decode(expected.element, should);
    if (std::isnan(value) && std::isnan(wanted))
      continue;
    const double error = value == wanted ? 0 : std::fabs(value - wanted);
    const bool bitsCount = expected.absolute == 0 && expected.relative == 0 &&
                           sameType && !isFloat(buffer.element);
    if (!bitsCount &&
        error <= expected.absolute + expected.relative * std::fabs(wanted)) {
      check.largestError = std::max(check.largestError, error);
      continue;
    }
    if (!std::isnan(error))
      check.largestError = std::max(check.largestError, error);
    if (check.wrong++ == 0)
      check.first = buffer.name + coordinate(buffer.shape, i) + " is " +
                    shown(buffer.element, is) + ", expected " +
                    shown(expected.element, should);
  }
  return check;
}

} // namespace ashlar::sim::tool
