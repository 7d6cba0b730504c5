// The character classes of PTX ISA, section 4.4. Not <cctype>'s: those depend
// on the locale of the program that the simulator is loaded into.
#pragma once

namespace ashlar::sim::ptx {

inline bool isDigit(char c) { return c >= '0' && c <= '9'; }

inline bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether c may follow the first character of an identifier.
inline bool isFollow(char c) {
  return isLetter(c) || isDigit(c) || c == '_' || c == '$';
}

} // namespace ashlar::sim::ptx
