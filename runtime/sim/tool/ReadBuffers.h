// The buffers in the description of a launch.
#pragma once

#include "runtime/sim/tool/Json.h"

#include <filesystem>

namespace ashlar::sim::tool {

/// `folder` is where files with a relative path lie; the buffer's size, which
/// must fit in, is taken from `bytesLeft`.
Buffer readBuffer(const std::string &name, const Value &value,
                  const std::filesystem::path &folder, uint64_t &bytesLeft);

} // namespace ashlar::sim::tool
