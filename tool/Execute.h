// The kernel on a device, what came of it printed.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/device.h"
#include "tool/Check.h"

#include <chrono>
#include <functional>
#include <map>

namespace ashlar::harness {

/// What is known of the kernel beyond its artifact.
struct Expectation {
  std::map<std::string, ElementReference> references;
  std::optional<double> tolerance;
  std::function<double(const Problem &)> operations;
};

/// "M=128 N=256", for messages.
std::string describe(const Problem &problem);

/// Launches once, prints what was checked, and says whether it was right.
bool runAndCheck(Device &device, const Artifact &artifact,
                 const Problem &problem, const Expectation &expected,
                 std::chrono::milliseconds limit);

/// Prints the median time, and what `expected.operations` makes of it.
void printBenchmark(Device &device, const Artifact &artifact,
                    const Problem &problem, const Expectation &expected,
                    std::chrono::milliseconds limit);

} // namespace ashlar::harness
