// That an artifact does not contradict itself, so that a launch can index its
// tables without looking: what the compiler promises, checked once per module.
#pragma once

#include "ashlar/artifact.h"

namespace ashlar {

/// Throws `Error` at the first contradiction.
void verifyArtifact(const Artifact &artifact);

} // namespace ashlar
