// The buffers in the description of a launch.
#pragma once

#include "runtime/sim/tool/Json.h"

#include <filesystem>

namespace ashlar::sim::tool {

/// `folder` is where files with a relative path lie.
Buffer readBuffer(const std::string &name, const Value &value,
                  const std::filesystem::path &folder);

} // namespace ashlar::sim::tool
