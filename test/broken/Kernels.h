// Kernels whose roles and CTAs meet otherwise than by a pipeline.
#ifndef ASHLAR_TEST_BROKEN_KERNELS_H
#define ASHLAR_TEST_BROKEN_KERNELS_H

#include "ashlar/kernel.h"
#include "ashlar/problem.h"

#include <string>
#include <vector>

namespace ashlar::broken {

struct MeetingKernel {
  Kernel (*make)();
  std::vector<NamedSize> sizes;
  std::vector<std::string> zeros; ///< tensors that begin as zeros
};

/// Named barriers that two roles sync or arrive at, and counters in global
/// memory.
const std::vector<MeetingKernel> &meetingKernels();

} // namespace ashlar::broken

#endif
