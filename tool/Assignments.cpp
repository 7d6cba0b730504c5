#include "tool/Assignments.h"

#include <charconv>

namespace ashlar::harness {

namespace {

template <typename Named> Named parse(const std::string &text) {
  const size_t equals = text.find('=');
  Named result;
  result.name = text.substr(0, equals);
  if (equals != std::string::npos && equals != 0) {
    const char *first = text.data() + equals + 1;
    const char *last = text.data() + text.size();
    auto [end, error] = std::from_chars(first, last, result.value);
    if (error == std::errc() && end == last)
      return result;
    if (error == std::errc::result_out_of_range)
      throw Error("'" + text + "' is beyond what a number of 64 bits holds");
  }
  throw Error("'" + text + "' is not of the form name=number");
}

} // namespace

NamedSize parseSize(const std::string &text) { return parse<NamedSize>(text); }

NamedScalar parseScalar(const std::string &text) {
  return parse<NamedScalar>(text);
}

} // namespace ashlar::harness
