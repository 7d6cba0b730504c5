// That roles which share a pipeline go over the same tiles, and accesses by the
// steps of their loops; and that instances which take tiles in turn have one
// state each.
#ifndef ASHLAR_PASSES_STAGES_TILELOOPS_H
#define ASHLAR_PASSES_STAGES_TILELOOPS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Refuses a tile loop in another one, of which each CTA has tiles of its own,
/// a role that takes stages in a tile loop which another role of the pipeline
/// does not have, and one that goes over all tiles in each turn of a loop where
/// another one goes through that loop for each tile. Loops whose extents only
/// the device knows may be the same.
mlir::LogicalResult checkTileLoops(tile::KernelOp kernel);

/// Remarks each copy, load, prefetch and store that goes through a tensor by
/// other steps than the tile loop which was given that extent of it (of longer
/// ones some tiles lie outside and results are right; shorter ones leave
/// elements out), and one that takes the elements of a range for tiles.
void compareStepsOfTileLoops(tile::KernelOp kernel);

/// Remarks each tile loop that carries a value from tile to tile in a role
/// whose instances share its tiles out.
void findStatesInTurns(tile::KernelOp kernel);

} // namespace ashlar

#endif
