// What a kernel writes shares no memory with anything else it touches: it reads
// and writes in no particular order.
#pragma once

#include "runtime/BindTensor.h"

#include <span>

namespace ashlar {

/// `tensors` are the bound tensors of `artifact`, in its order. Throws `Error`
/// when two elements of a written tensor share an address, or a written tensor
/// shares memory with another one. A written tensor may be exactly a tensor
/// that is only read, each element for one tile, for kernels that work in
/// place.
void checkOverlaps(const Artifact &artifact,
                   std::span<const BoundTensor> tensors);

} // namespace ashlar
