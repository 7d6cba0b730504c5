// Whether two tensors touch a byte in common, however they are strided.
#pragma once

#include "runtime/BindTensor.h"

namespace ashlar {

/// Both tensors are bound and have elements, of so many bytes each. Exact but
/// for tensors whose rows are woven into each other with strides that do not
/// divide each other: those may count as apart. Allocates nothing.
bool overlap(const BoundTensor &a, int64_t elementBytesA, const BoundTensor &b,
             int64_t elementBytesB);

} // namespace ashlar
