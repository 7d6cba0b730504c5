// Who uses which bytes of shared memory, where tiles lie in other tiles.
#ifndef ASHLAR_PASSES_SHAREDMEMORY_H
#define ASHLAR_PASSES_SHAREDMEMORY_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Whether two shared tiles lie in the same tile: of one `tile.alloc`, or of
/// one stage.
bool shareMemory(mlir::Value a, mlir::Value b);

/// Whether two shared tiles with layouts have bytes in common.
bool overlap(mlir::Value a, mlir::Value b);

/// Whether two tiles, or parts of a tile, have elements in common wherever
/// indices say that parts begin: false where that is not known.
bool surelyOverlap(mlir::Value a, mlir::Value b);

/// Whether they are the same elements of this CTA's memory, in the same places
/// of the tile.
bool areSameElements(mlir::Value a, mlir::Value b);

/// The operations that read or write the memory that a shared tile lies in; of
/// a stage those between its acquire and commit, or its wait and release.
llvm::SmallVector<mlir::Operation *> accessesOf(mlir::Value shared);

/// The same, of any tile of the stage.
llvm::SmallVector<mlir::Operation *> accessesOfStage(mlir::Value stage);

/// The tile that an access reads or writes as a whole: not an mma; of a copy to
/// a peer, the source.
mlir::Value accessedTile(mlir::Operation *access);

/// What an access writes, a shared tile, or of a scatter maybe a tensor; null
/// for one that reads, and of a copy to a peer, which writes the peer's.
mlir::Value writtenTile(mlir::Operation *access);

/// Bytes from the start of the memory that a view lies in to the view.
int64_t offsetOfView(tile::ViewOp view);

/// How many elements of the author's one along a dimension of a tile is: of
/// pairs of four bits, along rows, two.
int64_t authorsElements(tile::SharedType type, int64_t dimension);

/// The alignment that a tile with a layout needs, or also all views of it.
int64_t alignmentOf(tile::SharedType type);
int64_t alignmentOf(mlir::Value shared);

} // namespace ashlar

#endif
