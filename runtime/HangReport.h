// What is said of a kernel that did not finish in time.
#pragma once

#include "ashlar/artifact.h"
#include "runtime/Grid.h"

#include <chrono>
#include <string>

namespace ashlar {

std::string hangReport(const Artifact &artifact, const Grid &grid,
                       std::chrono::milliseconds limit);

} // namespace ashlar
