// A launch under one seed or many, and what is done with what it finds.
#pragma once

#include "runtime/sim/driver/State.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

/// All that a launch needs; the module stays loaded for it.
struct PreparedLaunch {
  std::shared_ptr<const Program> program;
  std::string kernel;
  LaunchShape shape;
  std::vector<uint8_t> parameters;
  std::vector<Tensor> tensors; // see LaunchOptions
};

/// Executes it as settings() say.
Result execute(const PreparedLaunch &launch);

} // namespace ashlar::sim
