// Tiles as the boxes that TMA moves.
#ifndef ASHLAR_PASSES_TILETOHOPPER_BOXES_H
#define ASHLAR_PASSES_TILETOHOPPER_BOXES_H

#include "passes/tile_to_hopper/Lowering.h"

namespace ashlar {

/// Element coordinates of a box: the tile's, plus the box's place in the tile,
/// whose dimensions are the tensor's last ones.
inline llvm::SmallVector<mlir::Value>
boxCoordinates(Arithmetic a, llvm::ArrayRef<mlir::Value> tile,
               llvm::ArrayRef<int64_t> offset) {
  llvm::SmallVector<mlir::Value> result(tile);
  const size_t leading = tile.size() - offset.size();
  for (auto [i, step] : llvm::enumerate(offset))
    result[leading + i] = a.add(result[leading + i], step);
  return result;
}

/// The tensor map by which an operation moves a tile.
inline mlir::Value mapFor(mlir::OpBuilder &builder, mlir::Operation *op,
                          mlir::Value tensor, const TmaTile &tile) {
  return tensorMap(builder, op->getParentOfType<hopper::KernelOp>(),
                   tensor.getDefiningOp<tile::TensorOp>(),
                   tile.boxes.front().box, tile.boxes.front().step,
                   tile.swizzleBytes());
}

} // namespace ashlar

#endif
