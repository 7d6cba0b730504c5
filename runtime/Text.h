// Sentences out of parts: concat("tensor '", name, "' has rank ", 3).
#pragma once

#include <sstream>
#include <string>

namespace ashlar {

template <typename... Parts> std::string concat(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

} // namespace ashlar
