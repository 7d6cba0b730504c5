// A kernel that was saved, on random data.
#pragma once

#include "ashlar/artifact.h"
#include "tool/RunOptions.h"

namespace ashlar::harness {

/// Runs the kernel, or prints how long it takes, and says whether it wrote its
/// outputs and nothing else. Tensors in `zeros` hold zeros before the launch.
/// The kernel may be anyone's: in the simulator, and without `sizes`, it
/// decides neither how large the problem is nor, without a time limit, how long
/// it takes.
bool runSaved(const Artifact &artifact, const RunOptions &options,
              const std::vector<std::string> &zeros, bool bench);

} // namespace ashlar::harness
