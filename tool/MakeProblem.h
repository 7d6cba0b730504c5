// A problem of given sizes for a kernel, with random inputs.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"

#include <cstdint>
#include <span>
#include <string>

namespace ashlar::harness {

/// A problem without tensors. Of a name that is given twice the last counts;
/// what is not given has the defaults of `ToolOptions`. Throws `Error` when a
/// name is not the kernel's.
Problem nameProblem(const Artifact &artifact, std::span<const NamedSize> sizes,
                    std::span<const NamedScalar> scalars);

/// Throws `Error` where the tensors of the problem's sizes, with the copies
/// that a run makes of them, take more memory than the machine has.
void demandMemory(const Artifact &artifact, const Problem &problem,
                  bool simulated);

/// Adds the tensors. Those in `zeros` hold zeros, those in `inputs` what is
/// said there, others that the kernel reads normal numbers (integers: uniform
/// ones), the rest `poisonBits` and all padding 0xff. Rows are padded where the
/// kernel's alignment asks for it. Throws `Error` when a name is not the
/// kernel's.
void addTensors(const Artifact &artifact, Problem &problem,
                std::span<const std::string> zeros = {},
                std::span<const Input> inputs = {}, uint64_t seed = 1);

/// Calls `visit` with each coordinate of the shape, in row-major order.
template <typename Visit>
void forEachCoordinate(std::span<const int64_t> shape, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  while (true) {
    visit(std::span<const int64_t>(at));
    size_t d = shape.size();
    while (d && ++at[d - 1] == shape[d - 1])
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

} // namespace ashlar::harness
