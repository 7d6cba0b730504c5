// Tiles as the boxes that TMA moves.
#ifndef ASHLAR_PASSES_TILETOHOPPER_BOXES_H
#define ASHLAR_PASSES_TILETOHOPPER_BOXES_H

#include "compiler/hopper/Hopper.h"
#include "compiler/layout/SharedTile.h"
#include "passes/Arithmetic.h"

namespace ashlar {

inline int64_t swizzleBytes(const layout::SwizzledLayout &layout) {
  return layout.swizzle.bits ? layout::atomBytes(layout) : 0;
}

inline mlir::Value addressOf(mlir::Value view) {
  return view.getDefiningOp<hopper::ViewOp>().getAddress();
}

inline mlir::Value stageOf(mlir::Value view) {
  return view.getDefiningOp<hopper::ViewOp>().getStage();
}

/// Element coordinates of a box: the tile's, plus the box's place in the tile,
/// whose dimensions are the tensor's last ones.
inline llvm::SmallVector<mlir::Value>
boxCoordinates(Arithmetic a, llvm::ArrayRef<mlir::Value> tile,
               llvm::ArrayRef<int64_t> offset) {
  llvm::SmallVector<mlir::Value> result(tile);
  size_t leading = tile.size() - offset.size();
  for (auto [i, step] : llvm::enumerate(offset))
    result[leading + i] = a.add(result[leading + i], step);
  return result;
}

} // namespace ashlar

#endif
