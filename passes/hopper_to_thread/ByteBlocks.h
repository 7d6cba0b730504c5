// Single bytes that are transposed on their way to or from shared memory, by
// words.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_BYTEBLOCKS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_BYTEBLOCKS_H

#include "passes/hopper_to_thread/Lowering.h"
#include "passes/hopper_to_thread/Offsets.h"

namespace ashlar {

/// Blocks of four words of a thread's bytes that are four words of memory once
/// they are transposed. Stores them; false where not all of the fragment is
/// such blocks.
bool storeByteBlocks(hopper::SharedStoreOp op,
                     Operands<hopper::SharedStoreOp> in, ThreadBuilder &b,
                     const FragmentType &type, Offsets &offsets);

/// Loads them; nothing where not all of the fragment is such blocks.
std::optional<Registers>
loadByteBlocks(hopper::SharedLoadOp op, Operands<hopper::SharedLoadOp> in,
               ThreadBuilder &b, const FragmentType &type, Offsets &offsets);

} // namespace ashlar

#endif
