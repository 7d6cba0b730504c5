// A check of CLI11 for numbers that must not be clipped.
#pragma once

#include <CLI/App.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace ashlar::sim {

/// A whole number from `least` on that T holds.
template <class T> CLI::Validator wholeNumber(T least) {
  return CLI::Validator(
      [least](const std::string &text) -> std::string {
        T value = 0;
        const char *last = text.data() + text.size();
        auto [end, error] = std::from_chars(text.data(), last, value);
        if (error == std::errc() && end == last && value >= least)
          return "";
        return "'" + text + "' is no whole number from " +
               std::to_string(least) + " to " +
               std::to_string(std::numeric_limits<T>::max());
      },
      "");
}

} // namespace ashlar::sim
