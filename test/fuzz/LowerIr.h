// What test/fuzz/ashlar-fuzz-ir.cpp does with a text.
#pragma once

#include <string>

namespace ashlar::fuzz {

enum class Level { tile, hopper, thread };

/// Where a lowering starts: texts of any level can be given to any of its
/// passes.
inline constexpr int startsOf(Level level) {
  return level == Level::tile ? 7 : level == Level::hopper ? 2 : 1;
}

/// What became of a text: a fault is a signal, an exception or no end in time.
struct Outcome {
  bool isLowered = false;
  std::string fault;
};

/// Parses the text and lowers it as far as it goes, in a process of its own.
/// What that says on its standard error lies in `log`.
Outcome lower(const std::string &text, Level level, int start,
              const std::string &log, unsigned seconds = 10);

/// The text a level on; empty where it is refused.
std::string nextLevelOf(const std::string &text, Level level);

} // namespace ashlar::fuzz
