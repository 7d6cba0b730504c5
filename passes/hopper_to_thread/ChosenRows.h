// Rows of a tile that the elements of a tensor choose.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_CHOSENROWS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_CHOSENROWS_H

#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

struct ChosenRows {
  mlir::Value pointer; ///< of the tensor of indices
  llvm::SmallVector<mlir::Value> coordinates, extents, strides;

  /// The index of a row of the tile; -1 where the tensor has none.
  mlir::Value of(PtxBuilder &b, mlir::Value row) const;
};

/// Of an access that has them.
template <typename In> std::optional<ChosenRows> chosenRows(In in) {
  if (in.getRows().empty())
    return std::nullopt;
  return ChosenRows{one(in.getRows()), ones(in.getRowCoordinates()),
                    ones(in.getRowExtents()), ones(in.getRowStrides())};
}

} // namespace ashlar

#endif
