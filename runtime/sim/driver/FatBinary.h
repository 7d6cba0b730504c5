// Fat binaries: what nvcc makes of a program's kernels, for several targets.
#pragma once

#include <cstdint>
#include <string>

namespace ashlar::sim {

bool isFatBinary(const uint8_t *bytes);

/// Of the PTX texts in the fat binary the one that is compiled for sm_90a, or
/// for the newest target below. Empty, with the reason in `problem`, where
/// there is none.
std::string findPtxInFatBinary(const uint8_t *bytes, std::string &problem);

} // namespace ashlar::sim
