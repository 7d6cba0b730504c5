// What TMA does to elements on their way into shared memory: it fills those
// outside of the tensor, and converts the types that ask for it.
#pragma once

#include "runtime/sim/machine/copies/TensorBox.h"

namespace ashlar::sim {

/// Fills `bytes` bytes (whole elements) with zeros or NaN.
void fillElements(uint8_t *at, size_t bytes, const TileLayout &layout);

/// Rounds to tf32 where elements are of such a type.
void convertElements(uint8_t *at, size_t bytes, TensorElement element);

} // namespace ashlar::sim
