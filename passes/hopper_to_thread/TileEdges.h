// Where the aligned words around the rows of a tile may reach beyond the memory
// of the tensor that it lies in.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_TILEEDGES_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_TILEEDGES_H

#include "passes/hopper_to_thread/TileRows.h"

namespace ashlar {

/// Addresses are numbers of 64 bits.
class TileEdges {
public:
  TileEdges(PtxBuilder &b, const TensorTile &tile);

  /// Of an element of the tensor, and of the word in which an address lies.
  mlir::Value address(mlir::Value element) const;
  mlir::Value wordOf(mlir::Value address) const;

  /// Whether words, from one up to another, reach beyond the tensor's memory.
  mlir::Value areBeyond(mlir::Value from, mlir::Value to) const;
  /// Whether words around what the tensor has of the tile may.
  mlir::Value mayBeTorn() const;
  /// Whether the tensor has the whole tile, and a word's elements behind each
  /// of its rows, so that all words around may be read.
  mlir::Value isWhole() const;

  /// The word at an address by its elements, the first of which is the tensor's
  /// `column` of a row that is `inside`, as words of 32 bits; zeros for those
  /// outside of the tensor.
  llvm::SmallVector<mlir::Value>
  elementsAt(mlir::Value address, mlir::Value column, mlir::Value inside) const;
  /// Masks of so many words, which there are where the tile has what is not
  /// the tensor's.
  llvm::SmallVector<mlir::Value>
  masks(int64_t count,
        llvm::function_ref<llvm::SmallVector<mlir::Value>()> masks) const;
  /// The bits of words that such masks have; where these are fewer, they are
  /// those of each group of as many words.
  llvm::SmallVector<mlir::Value>
  withoutOthers(llvm::ArrayRef<mlir::Value> words,
                llvm::ArrayRef<mlir::Value> masks) const;

private:
  /// Whether words around where the tile's rows begin, and end, may reach
  /// beyond: with the first row and with the last. Strides are not negative.
  struct Rows {
    mlir::Value areFirst, areLast;
  };
  Rows rows() const;
  /// Whether the tile has columns that such words are around.
  mlir::Value begins() const;
  mlir::Value ends() const;
  /// Whether the tile has columns that are not the tensor's.
  mlir::Value hasOthers() const;
  /// Words computed on a condition, and what there is otherwise.
  llvm::SmallVector<mlir::Value>
  where(mlir::Value condition,
        llvm::function_ref<llvm::SmallVector<mlir::Value>()> words,
        llvm::ArrayRef<mlir::Value> otherwise) const;
  /// Of the tile, along a dimension of the tensor.
  int64_t extentAlong(size_t dimension) const;
  mlir::Value isBefore(mlir::Value left, mlir::Value right) const;
  mlir::Value isNot(mlir::Value condition) const;

  PtxBuilder &b;
  const TensorTile &tile;
  const int64_t elements; ///< of a word
  mlir::Value begin, end; ///< of the tensor's memory
};

} // namespace ashlar

#endif
