// Text with values in it: what std::format does with "{}".
#ifndef ASHLAR_TEST_CORPUS_TEXT_H
#define ASHLAR_TEST_CORPUS_TEXT_H

#include <sstream>
#include <string>
#include <string_view>

namespace ashlar::corpus {

/// Each "{}" is replaced by the next value; "{{" and "}}" are braces.
template <typename... Values>
std::string format(std::string_view pattern, const Values &...values) {
  std::ostringstream out;
  size_t at = 0;
  auto copyToValue = [&] {
    for (; at < pattern.size(); ++at) {
      const std::string_view two = pattern.substr(at, 2);
      if (two == "{}")
        break;
      out << pattern[at];
      at += two == "{{" || two == "}}";
    }
  };
  ((copyToValue(), out << values, at += 2), ...);
  copyToValue();
  return out.str();
}

} // namespace ashlar::corpus

#endif
