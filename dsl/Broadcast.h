#pragma once

#include "Trace.h"

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

} // namespace ashlar::detail
