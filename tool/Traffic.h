// What a simulated launch executes and moves for each element.
#pragma once

#include "ashlar/problem.h"

#include <string>

namespace ashlar::harness {

/// Has simulated launches count from now on.
void countTraffic();

/// What has been counted since the last call, divided by the elements of the
/// problem's largest tensor, in lines as `--resources` has them.
std::string describeTraffic(const Problem &problem);

} // namespace ashlar::harness
