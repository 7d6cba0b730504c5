// Where the threads of a role have to meet, so that each finds in a shared tile
// what another one has left there.
#ifndef ASHLAR_PASSES_MEETINGS_H
#define ASHLAR_PASSES_MEETINGS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// When all threads of a role meet at an operation, whatever it accesses.
enum class MeetsAnyway { no, before, after };

/// Operations of a role, accesses of shared tiles and loops, before which its
/// threads meet: few, and outside of the loops that need none inside. The tiles
/// that `isOrdered` is false of are left out.
llvm::DenseSet<mlir::Operation *>
meetingsOf(tile::RoleOp role,
           llvm::function_ref<MeetsAnyway(mlir::Operation *)> meetsAnyway,
           llvm::function_ref<bool(mlir::Value tile)> isOrdered);

/// Whether an index says which part of a shared tile this is.
bool isPartAtAnIndex(mlir::Value shared);

} // namespace ashlar

#endif
