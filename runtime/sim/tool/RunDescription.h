// A described launch: memory filled, the kernel executed, results compared.
#pragma once

#include "runtime/sim/machine/Report.h"
#include "runtime/sim/tool/Description.h"

#include <string>
#include <vector>

namespace ashlar::sim::tool {

/// What became of a buffer with an expectation.
struct Check {
  std::string buffer;
  uint64_t elements = 0, wrong = 0;
  double largestError = 0;
  /// "D[3, 5] is 1.5, expected 2" of the first wrong one.
  std::string first;
  bool isMade = true; // not when the launch did not end
};

struct Outcome {
  std::vector<Report> reports;
  std::vector<Check> checks;
  uint64_t instructions = 0; // see Progress; of all seeds together
  bool isRight() const;
};

/// Loads the PTX, executes and compares, as settings() say, and writes the
/// buffers that are to be saved. Throws InputError for what can't be loaded,
/// does not fit the kernel's parameters, or is refused as a launch.
Outcome run(const std::string &ptxPath, const Description &description);

/// The kernels of a PTX file and their parameters, a line for each.
std::string listKernels(const std::string &ptxPath);

} // namespace ashlar::sim::tool
