// A problem in device memory, ready to be launched on.
#pragma once

#include "ashlar/module.h"
#include "ashlar/problem.h"

#include <optional>
#include <vector>

namespace ashlar::harness {

/// Every tensor is an allocation of its own and lies between two guards, and
/// the padding of its rows is one too: a write outside the tensor is found. In
/// the simulator, which the launch tells of the tensors, a read is as well.
class DeviceProblem {
public:
  DeviceProblem(Device &device, const Artifact &artifact,
                const Problem &problem);

  /// What `Module::launch` takes. Names point into the artifact.
  const std::vector<NamedArgument> &arguments() const { return named; }

  /// The tensors that the kernel writes, as they are now. Throws `Error` when
  /// a byte outside a tensor was written.
  std::vector<HostTensor> results() const;

  /// Bytes of the tensors that the kernel reads, and of those it writes.
  int64_t bytesMoved() const;

  /// The tensor whose allocation, guards included, begins at an address, if its
  /// bytes were these.
  std::optional<HostTensor> tensorAt(uint64_t address,
                                     const std::byte *image) const;

private:
  const Artifact &artifact;
  const Problem &problem;
  std::vector<Buffer> buffers;
  std::vector<NamedArgument> named;
};

} // namespace ashlar::harness
