// The kernel's parameters in memory, in the form cuLaunchKernelEx takes them:
// one pointer for each to its value. The driver knows their sizes from the
// code.
#pragma once

#include "runtime/BindTensor.h"
#include "runtime/InferSizes.h"
#include "runtime/TensorMap.h"

#include <vector>

namespace ashlar {

class ParameterBlock {
public:
  /// `artifact` has been verified and must outlive the block.
  explicit ParameterBlock(const Artifact &artifact);
  ParameterBlock(const ParameterBlock &) = delete;

  /// Takes over the values of one launch; allocates only the first time.
  void fill(const Context &context, const MatchedArguments &matched,
            const SizeValues &sizes, const std::vector<BoundTensor> &tensors);

  void **pointers() { return values.data(); }

private:
  const Artifact &artifact;
  std::vector<uint64_t>
      words; ///< one for each parameter; unused for tensor maps
  std::vector<TensorMapSlot> tensorMaps;
  std::vector<void *> values;
};

} // namespace ashlar
