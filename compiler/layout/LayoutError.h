// The refusal of the layout library: a sentence that states the violated
// precondition with its numbers.

#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace ashlar::layout {

struct LayoutError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Throws a LayoutError whose message is the parts written one after another.
template <typename... Parts> [[noreturn]] void refuse(const Parts &...parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw LayoutError(message.str());
}

} // namespace ashlar::layout
