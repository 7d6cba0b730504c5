// The run-time sizes of a launch, read off the tensors' shapes.
#pragma once

#include "runtime/MatchArguments.h"

#include <cstdint>
#include <vector>

namespace ashlar {

/// The values of `Artifact::sizes` and, for messages, the first tensor that
/// gave each, or -1 when it was passed by name.
struct SizeValues {
  std::vector<int64_t> values;
  std::vector<int> tensors;
};

/// Checks rank and extents of every tensor; a size has one value wherever it
/// appears. Throws `Error` at the first mistake.
void inferSizes(const Artifact &artifact, const MatchedArguments &matched,
                SizeValues &sizes);

} // namespace ashlar
