// How shared tiles lie.
#ifndef ASHLAR_PASSES_SHAREDLAYOUTS_H
#define ASHLAR_PASSES_SHAREDLAYOUTS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Gives every shared tile of a kernel its layout, parts that of the tile they
/// are cut from. Refuses views and parts that their tile has no place for, and
/// products that can't read tiles as they lie.
mlir::LogicalResult assignSharedLayouts(tile::KernelOp kernel);

} // namespace ashlar

#endif
