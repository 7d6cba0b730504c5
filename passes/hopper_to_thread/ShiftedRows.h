// Copies of rows that begin anywhere between 16 bytes of global memory: whole
// words of 16 bytes there and in shared memory, shifted by the row's own
// distance in between.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDROWS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_SHIFTEDROWS_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

/// Whether rows of a tile are whole words of 16 bytes.
bool hasWholeWords(tile::SharedType type);

/// Whether threads copy it so.
bool isByShifting(hopper::CopyTileOp op);

/// A tile of such rows to shared memory, by the threads of the role.
void copyShifted(ThreadBuilder &b, hopper::CopyTileOp op,
                 Operands<hopper::CopyTileOp> in);
/// A tile of such rows to global memory, by the threads of the role, or of a
/// warp.
void copyShifted(ThreadBuilder &b, hopper::CopyTileOutOp op,
                 Operands<hopper::CopyTileOutOp> in);

} // namespace ashlar

#endif
