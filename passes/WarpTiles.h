// Tiles that each warp of a role stores by itself: where it writes rows that
// are its own, no warp waits for another.
#ifndef ASHLAR_PASSES_WARPTILES_H
#define ASHLAR_PASSES_WARPTILES_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// The tiles that the warps of a role store by themselves, each with a fragment
/// that says how the rows are shared out; empty where there is one that they do
/// not.
using WarpTiles = llvm::DenseMap<mlir::Value, tile::FragmentAttr>;
WarpTiles warpTilesOf(tile::RoleOp role);

} // namespace ashlar

#endif
