// Types of the IR and of the language, in the words of the author.
#pragma once

#include "ashlar/element_type.h"
#include "ashlar/location.h"
#include "ashlar/shape.h"

#include "mlir/IR/BuiltinTypes.h"

namespace ashlar::detail {

/// The element type of a fragment; null when a fragment can't hold it.
mlir::Type registerType(mlir::MLIRContext *context, ElementType type);

/// "f32", "128x256 f32", "index".
std::string describe(mlir::Type type);
/// "128x256"
std::string dimensions(llvm::ArrayRef<int64_t> shape);

/// The extents of `what`, checked to be positive and not absurd.
llvm::SmallVector<int64_t>
checkedShape(const std::string &what, const Shape &shape, SourceLocation where);
/// Throws where rows, the last of the extents, end within a byte.
void checkRows(const std::string &what, llvm::ArrayRef<int64_t> extents,
               mlir::Type element, SourceLocation where);
/// Throws unless `slice` finds the part inside `what`, of extents `whole`.
void checkPart(llvm::ArrayRef<int64_t> whole, const std::string &what,
               llvm::ArrayRef<int64_t> offset, llvm::ArrayRef<int64_t> part,
               SourceLocation where);
/// The fragment type; throws when a fragment can't hold such elements.
mlir::RankedTensorType fragmentType(mlir::MLIRContext *context,
                                    ElementType type, const Shape &shape,
                                    SourceLocation where);

} // namespace ashlar::detail
