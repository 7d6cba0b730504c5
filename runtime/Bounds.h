// What a kernel demands of its sizes.
#pragma once

#include "ashlar/artifact.h"

#include <span>
#include <vector>

namespace ashlar {

/// Throws `Error` at the author's line unless each index of `artifact.bounds`
/// is at most what it says. `sizes` are the values of `artifact.sizes`;
/// `numbers` is where it computes, so that a launch after the first allocates
/// nothing.
void checkBounds(const Artifact &artifact, std::span<const int64_t> sizes,
                 std::vector<int64_t> &numbers);

} // namespace ashlar
