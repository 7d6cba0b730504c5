// Fragments to shared memory by stmatrix.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_MATRIXSTORE_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_MATRIXSTORE_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

/// Stores by stmatrix; false where the fragment does not lie as it wants it.
bool storeMatrices(hopper::SharedStoreOp op, Operands<hopper::SharedStoreOp> in,
                   ThreadBuilder &b, const FragmentType &type,
                   const layout::SwizzledLayout &tile);

} // namespace ashlar

#endif
