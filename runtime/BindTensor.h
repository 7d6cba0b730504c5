// One tensor of a launch after every check: where it lies and with which
// strides.
#pragma once

#include "ashlar/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar {

/// What a tensor argument must meet, and what became of it.
struct BoundTensor {
  int64_t alignmentBytes =
      1; ///< of the contract, and of TMA where it reads the tensor
  bool usesTensorMap = false;

  uint64_t address = 0;
  bool empty = false; ///< has no elements
  /// In elements, of which those that lie together in memory are one: of four
  /// bits in pairs, as the kernel is given them.
  std::vector<int64_t> shape;
  /// In the same. Of a dimension with fewer than two elements the stride is not
  /// the caller's but one that meets the alignment.
  std::vector<int64_t> strides;
};

/// The requirements of every tensor of the artifact.
std::vector<BoundTensor> tensorRequirements(const Artifact &artifact);

/// Checks element type, strides, address and alignment of `argument`, whose
/// rank and extents have been checked, and fills in `bound`. Throws `Error` at
/// the first mistake; allocates only on the first call for a `bound`.
void bindTensor(const std::string &kernel, const TensorContract &contract,
                const TensorArgument &argument, BoundTensor &bound);

} // namespace ashlar
