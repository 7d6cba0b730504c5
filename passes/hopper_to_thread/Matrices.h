// Fragments to and from shared memory by stmatrix and ldmatrix.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_MATRICES_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_MATRICES_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

/// Stores by stmatrix; false where the fragment does not lie as it wants it.
bool storeMatrices(hopper::SharedStoreOp op, Operands<hopper::SharedStoreOp> in,
                   ThreadBuilder &b, const FragmentType &type);

/// Loads by ldmatrix; nothing where the fragment does not lie as it gives it.
std::optional<Registers> loadMatrices(hopper::SharedLoadOp op,
                                      Operands<hopper::SharedLoadOp> in,
                                      ThreadBuilder &b,
                                      const FragmentType &type);

/// Loads by ldmatrix, transposed, what wgmma takes as A of single bytes with
/// neighbouring rows in a lane; nothing where the tile has no columns of them.
std::optional<Registers> loadByteMatrices(hopper::SharedLoadOp op,
                                          Operands<hopper::SharedLoadOp> in,
                                          ThreadBuilder &b,
                                          const FragmentType &type);

} // namespace ashlar

#endif
