// What ashlar-run does with a file, in a process of its own.
#pragma once

#include <string>

namespace ashlar::fuzz {

struct LoadOutcome {
  std::string fault; ///< empty, or what a file may not end in
  bool isRun = false;
};

/// Loads the file and runs it in the simulator. A fault is a signal, an
/// exception that is not the project's, the text of one in an `Error`, more
/// than 10 s of work, and more than 4 GiB of memory.
LoadOutcome loadAndRun(const std::string &path);

} // namespace ashlar::fuzz
