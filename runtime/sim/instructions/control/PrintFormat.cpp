#include "runtime/sim/instructions/control/PrintFormat.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace ashlar::sim {

namespace {

/// Widths and precisions beyond this are cut, so that a wrong one does not take
/// the host's memory.
constexpr int maxWidth = 4096;

class Formatter {
public:
  Formatter(std::string_view format, const PrintMemory &memory)
      : format(format), memory(memory) {}

  std::string run() {
    while (at < format.size()) {
      if (format[at] != '%')
        result += format[at++];
      else
        convert();
    }
    return std::move(result);
  }
  int count = 0;

private:
  uint64_t take(unsigned sizeBytes) {
    offset = (offset + sizeBytes - 1) / sizeBytes * sizeBytes;
    const uint64_t value = memory.argument(offset, sizeBytes);
    offset += sizeBytes;
    ++count;
    return value;
  }

  bool is(std::string_view characters) const {
    return at < format.size() &&
           characters.find(format[at]) != std::string_view::npos;
  }

  /// A number, or `*` for one from the arguments.
  int number() {
    if (is("*")) {
      ++at;
      const auto value = static_cast<int32_t>(take(4));
      return std::clamp(value, -maxWidth, maxWidth);
    }
    int value = 0;
    while (is("0123456789"))
      value = std::min(value * 10 + (format[at++] - '0'), maxWidth);
    return value;
  }

  template <class Value> void print(const std::string &specification, Value v) {
    const int size = std::snprintf(nullptr, 0, specification.c_str(), v);
    if (size < 0)
      return;
    const size_t before = result.size();
    result.resize(before + static_cast<size_t>(size) + 1);
    std::snprintf(result.data() + before, static_cast<size_t>(size) + 1,
                  specification.c_str(), v);
    result.pop_back();
  }

  void convert() {
    const size_t begin = at++;
    std::string specification = "%";
    while (is("-+ #0"))
      specification += format[at++];
    if (is("*0123456789"))
      specification += std::to_string(number());
    if (is(".")) {
      ++at;
      const int precision = number();
      if (precision >= 0)
        specification += "." + std::to_string(precision);
    }
    unsigned longs = 0, shorts = 0;
    while (is("lhjztL")) {
      const char letter = format[at++];
      shorts += letter == 'h';
      longs += letter != 'h' && letter != 'L';
    }
    if (at == format.size()) {
      result += format.substr(begin);
      return;
    }
    const char conversion = format[at++];
    switch (conversion) {
    case '%':
      result += '%';
      return;
    case 'd':
    case 'i':
      return print(specification + "lld", signedValue(longs, shorts));
    case 'u':
    case 'x':
    case 'X':
    case 'o':
      return print(specification + "ll" + conversion,
                   unsignedValue(longs, shorts));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print(specification + conversion, std::bit_cast<double>(take(8)));
    case 'c':
      return print(specification + 'c', static_cast<int>(take(4)));
    case 's':
      return print(specification + 's', memory.text(take(8)).c_str());
    case 'p':
      return print(specification + 'p',
                   reinterpret_cast<const void *>(take(8)));
    default:
      result += format.substr(begin, at - begin);
    }
  }

  long long signedValue(unsigned longs, unsigned shorts) {
    if (longs)
      return static_cast<long long>(take(8));
    const auto value = static_cast<int32_t>(take(4));
    return shorts >= 2   ? static_cast<int8_t>(value)
           : shorts == 1 ? static_cast<int16_t>(value)
                         : value;
  }

  unsigned long long unsignedValue(unsigned longs, unsigned shorts) {
    if (longs)
      return take(8);
    const auto value = static_cast<uint32_t>(take(4));
    return shorts >= 2   ? static_cast<uint8_t>(value)
           : shorts == 1 ? static_cast<uint16_t>(value)
                         : value;
  }

  std::string_view format;
  const PrintMemory &memory;
  std::string result;
  size_t at = 0;
  uint64_t offset = 0;
};

} // namespace

std::string formatPrint(std::string_view format, const PrintMemory &memory,
                        int &count) {
  Formatter formatter(format, memory);
  std::string result = formatter.run();
  count = formatter.count;
  return result;
}

} // namespace ashlar::sim
