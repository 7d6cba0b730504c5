// What test/fuzz/ReadDescription.cpp does with a text.
#pragma once

#include "runtime/sim/tool/Description.h"

#include <string_view>

namespace ashlar::sim {

/// True when the text is a description, false when it is refused; other errors
/// are thrown. The files that it names are not there, most likely.
inline bool readsDescription(std::string_view text) {
  constexpr uint64_t maxBytes = 1 << 20;
  try {
    tool::parseDescription({text.begin(), text.end()}, "corpus.json", maxBytes);
    return true;
  } catch (const tool::InputError &) {
    return false;
  }
}

} // namespace ashlar::sim
