// What the command line of a kernel program asks for.
#pragma once

#include "tool/RunOptions.h"

#include <optional>
#include <string>
#include <vector>

namespace ashlar::tooling {

struct Request : harness::RunOptions {
  std::vector<NamedSize> constants;
  std::string emit;   ///< a level, or empty
  std::string output; ///< the file for `emit`; empty: standard output
  std::string save;   ///< the file for the artifact, or empty
  std::vector<std::string> printAfter;
  bool resources = false;
  bool run = false;
  bool bench = false;
  bool check = false; ///< expectations, on a GPU too
  bool checkIndices = false;
  bool verifyEach = false;
  bool noCache = false;

  /// Without any action: the summary, and a run.
  bool isDefault() const {
    return emit.empty() && save.empty() && !resources && !run && !bench;
  }
};

/// Reads the command line. Returns the exit status when there is nothing more
/// to do: help was printed, or the sentence that says what is wrong.
std::optional<int> parse(int argc, char **argv, const std::string &kernel,
                         Request &request);

} // namespace ashlar::tooling
