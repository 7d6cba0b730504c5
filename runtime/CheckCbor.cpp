#include "runtime/CheckCbor.h"

#include <nlohmann/json.hpp>

namespace ashlar {
namespace {

using nlohmann::json;

// An artifact has 5 levels, and some 20 values for each tensor and parameter.
constexpr int mostLevels = 16;
constexpr int mostValues = 1 << 20;

/// A handler of the events of `json::sax_parse`; false ends the parsing.
class Modesty {
public:
  bool null() { return false; }
  bool boolean(bool) { return count(); }
  bool number_integer(json::number_integer_t) { return count(); }
  bool number_unsigned(json::number_unsigned_t) { return count(); }
  bool number_float(json::number_float_t, const json::string_t &) {
    return false;
  }
  bool string(json::string_t &) { return count(); }
  bool binary(json::binary_t &) { return count(); }
  bool key(json::string_t &) { return count(); }
  bool start_object(size_t) { return begin(); }
  bool start_array(size_t) { return begin(); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(size_t, const std::string &, const json::exception &) {
    return false;
  }

private:
  bool count() { return ++values <= mostValues; }
  bool begin() { return ++levels <= mostLevels && count(); }
  bool end() {
    --levels;
    return true;
  }

  int levels = 0;
  int values = 0;
};

} // namespace

bool isModestCbor(std::span<const std::byte> bytes) {
  Modesty modesty;
  auto *first = reinterpret_cast<const uint8_t *>(bytes.data());
  return json::sax_parse(first, first + bytes.size(), &modesty,
                         json::input_format_t::cbor);
}

} // namespace ashlar
