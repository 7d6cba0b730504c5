#pragma once

#include "Trace.h"
#include "ashlar/arithmetic.h"

#include "mlir/IR/BuiltinTypes.h"

namespace ashlar::detail {

/// The vector repeated as the columns of a fragment of this shape.
mlir::Value broadcastColumn(Trace &trace, mlir::Value vector,
                            llvm::ArrayRef<int64_t> shape,
                            SourceLocation where);
/// The fragment repeated along new leading dimensions, and along those of
/// extent 1.
mlir::Value broadcastLeading(Trace &trace, mlir::Value value,
                             llvm::ArrayRef<int64_t> shape,
                             SourceLocation where);

/// The shape that fragments of two shapes broadcast to, if they do.
llvm::SmallVector<int64_t> broadcastShape(llvm::ArrayRef<int64_t> a,
                                          llvm::ArrayRef<int64_t> b);

/// What an operand holds; null for a number.
mlir::Value readTile(Trace &trace, const TileOperand &operand);
/// The operand, and what it holds, as a fragment of this type.
mlir::Value spread(Trace &trace, const TileOperand &operand, mlir::Value value,
                   mlir::RankedTensorType type, SourceLocation where);

} // namespace ashlar::detail
