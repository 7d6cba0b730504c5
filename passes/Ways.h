// What a role may come to behind an operation.
#ifndef ASHLAR_PASSES_WAYS_H
#define ASHLAR_PASSES_WAYS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Follows all ways through loops and branches from an operation of a role on,
/// each up to where `goesOn`, which is called once for each operation, is
/// false. A loop is left out unless it is known to run. Returns whether one of
/// them leads to the end of the role.
bool followWays(mlir::Operation *from,
                llvm::function_ref<bool(mlir::Operation *)> goesOn);

} // namespace ashlar

#endif
