// The rows of a tile that threads copy between global and shared memory.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_TILEROWS_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_TILEROWS_H

#include "passes/hopper_to_thread/ChosenRows.h"

namespace ashlar {

/// Where a row of a tile begins.
struct TileRow {
  mlir::Value shared;  ///< bytes from the tile's start, not swizzled
  mlir::Value element; ///< elements from the tensor's base, 64 bits
  mlir::Value inside;  ///< i1: the tensor has this row; null: always
};

/// A tile in a tensor.
struct TensorTile {
  llvm::SmallVector<int64_t> shape;
  int64_t elementBytes;
  mlir::Value pointer; ///< of the tensor
  llvm::SmallVector<mlir::Value> coordinates, extents, strides;
  bool nonNegative;
  std::optional<ChosenRows> chosen;

  template <typename Op>
  TensorTile(Op op, Operands<Op> in, llvm::ArrayRef<int64_t> shape,
             int64_t elementBytes)
      : shape(shape), elementBytes(elementBytes), pointer(one(in.getPointer())),
        coordinates(ones(in.getCoordinates())), extents(ones(in.getExtents())),
        strides(ones(in.getStrides())), nonNegative(op.getNonnegative()) {
    if constexpr (!std::is_same_v<Op, hopper::CopyTileOutOp>)
      chosen = chosenRows(in);
  }

  mlir::Value column() const { return coordinates.back(); } ///< its first
  mlir::Value end() const { return extents.back(); } ///< of the tensor's rows
};

/// A tile in a tensor, and the shared tile that is a copy of it.
struct TileRows : TensorTile {
  tile::SharedType type;

  template <typename Op>
  TileRows(Op op, Operands<Op> in, tile::SharedType type)
      : TensorTile(op, in, type.getShape(), type.elementBytes()), type(type) {}

  int64_t count() const; ///< of the tile

  /// The row of this number, counted in row-major order.
  TileRow row(PtxBuilder &b, mlir::Value number) const;
  /// So many, from the first on, each `step` behind the one before.
  llvm::SmallVector<TileRow> rows(PtxBuilder &b, mlir::Value first,
                                  int64_t step, int64_t count) const;
  /// Whether rows so far apart begin at the same place of a word.
  bool areAlike(int64_t step) const;

  /// Bytes from the tile's start, not swizzled, of an element of a row.
  mlir::Value shared(PtxBuilder &b, const TileRow &row,
                     mlir::Value place) const;

private:
  /// Whether rows lie one stride of the tensor behind another.
  bool areEven() const;
};

} // namespace ashlar

#endif
