#pragma once

#include "Trace.h"
#include "ashlar/copy.h"
#include "ashlar/tensor.h"

namespace ashlar::detail {

/// What is done with the elements of a tensor; what is combined with them, as
/// by a `Reduction`, reads them as well.
enum class Direction { read, write, combine, exchange };

/// Throws when a tensor was not declared for that.
void checkAccess(tile::TensorOp tensor, Direction direction,
                 SourceLocation where);

/// A place in a tensor, in elements, and where the indices of rows begin, if
/// there are any.
struct Place {
  tile::TensorOp tensor;
  llvm::SmallVector<mlir::Value> offsets;
  mlir::Value rows = {};
  llvm::SmallVector<mlir::Value> rowOffsets = {};
};

/// Whether a call can choose rows by indices.
enum class Rows { asTheyLie, chosen };

tile::TensorOp readTensor(Trace &trace, const Tensor &tensor,
                          SourceLocation where);

/// Whether memory of one type holds elements of the other: tf32 is held as f32
/// in a fragment.
bool holdsSame(mlir::Type memory, mlir::Type element);

/// How memory is combined with a fragment or a tile, in the IR.
tile::ReductionAttr attributeOf(Trace &trace, Reduction reduction);

/// Where a tile of this shape and element type lies. Throws when the tensor
/// can't be used in this direction, has another element type, or has fewer
/// dimensions than the tile. `what` names the tile in messages.
Place resolve(Trace &trace, const TileRef &ref, llvm::ArrayRef<int64_t> shape,
              mlir::Type element, const char *what, Direction direction,
              SourceLocation where, Rows rows = Rows::asTheyLie);

} // namespace ashlar::detail
