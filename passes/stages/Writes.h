// What a role writes into a stage between its acquire and commit.
#ifndef ASHLAR_PASSES_STAGES_WRITES_H
#define ASHLAR_PASSES_STAGES_WRITES_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Refuses, at the author's line, what writes elements of a stage that a copy
/// writes too: they come in any order.
mlir::LogicalResult checkWrites(tile::KernelOp kernel);

} // namespace ashlar

#endif
