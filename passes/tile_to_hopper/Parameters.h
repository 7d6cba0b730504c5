// The kernel's ABI: sizes, scalars, and what each tensor is reached through.
#ifndef ASHLAR_PASSES_TILETOHOPPER_PARAMETERS_H
#define ASHLAR_PASSES_TILETOHOPPER_PARAMETERS_H

#include "compiler/hopper/Hopper.h"
#include "mlir/Transforms/DialectConversion.h"

namespace ashlar {

/// A tensor by its address.
struct GlobalTensor {
  mlir::Value pointer;
  llvm::SmallVector<mlir::Value> extents, strides;
};

/// The parameters of a kernel that is being lowered, but for its tensor maps.
class Parameters {
public:
  /// Declares them at the builder's place.
  Parameters(tile::KernelOp source, mlir::OpBuilder &builder);

  /// What stands for a `tile.size` or a `tile.scalar`.
  mlir::Value of(mlir::Operation *declaration) const {
    return values.lookup(declaration);
  }
  /// A tensor that is accessed by its address. Its extents are those of the
  /// declaration, lowered, and of elements of four bits those of their pairs.
  GlobalTensor tensor(mlir::Value tensor,
                      mlir::ConversionPatternRewriter &rewriter) const;
  /// The extents of the declaration, lowered.
  static llvm::SmallVector<mlir::Value>
  extents(mlir::Value tensor, mlir::ConversionPatternRewriter &rewriter);

private:
  llvm::DenseMap<mlir::Operation *, mlir::Value> values;
  llvm::DenseMap<mlir::Value, GlobalTensor> tensors;
};

/// The map of a tensor for TMA, which moves a box of its last dimensions at
/// once; declared behind the other parameters where there is none yet.
mlir::Value tensorMap(mlir::OpBuilder &builder, hopper::KernelOp kernel,
                      tile::TensorOp tensor, llvm::ArrayRef<int64_t> tileBox,
                      llvm::ArrayRef<int64_t> tileStep, int64_t swizzleBytes);

/// Fetches the tensor maps of a kernel before any role uses them.
void prefetchTensorMaps(hopper::KernelOp kernel);

} // namespace ashlar

#endif
