// The options of every command line that runs a kernel: of which problem, and
// where.
#pragma once

#include "ashlar/problem.h"
#include "tool/ChooseDevice.h"

#include <vector>

namespace CLI {
class App;
}

namespace ashlar::harness {

struct RunOptions {
  std::vector<NamedSize> sizes;
  std::vector<NamedScalar> scalars;
  DeviceChoice device;
};

/// Parsing fills `options`, which must live as long as `app`.
void addRunOptions(CLI::App &app, RunOptions &options);

} // namespace ashlar::harness
