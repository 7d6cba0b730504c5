// What the verifiers of the tile dialect share.
#ifndef ASHLAR_COMPILER_TILE_VERIFY_H
#define ASHLAR_COMPILER_TILE_VERIFY_H

#include "compiler/tile/Tile.h"

namespace ashlar::tile {

/// "128x64"
std::string dimensions(llvm::ArrayRef<int64_t> shape);

/// As many coordinates as the tensor has dimensions.
mlir::LogicalResult checkCoordinates(mlir::Operation *op, TensorType tensor,
                                     mlir::OperandRange coordinates);

/// Only a matrix is transposed.
mlir::LogicalResult checkTransposed(mlir::Operation *op, int64_t rank,
                                    bool transposed);

/// A fragment and the shared tile that it is read from or written to.
mlir::LogicalResult checkSharedFragment(mlir::Operation *op, SharedType shared,
                                        mlir::RankedTensorType fragment,
                                        bool transposed);

/// What is broadcast, and cut, from one fragment to another.
mlir::LogicalResult checkBroadcast(mlir::Operation *op,
                                   mlir::RankedTensorType source,
                                   mlir::RankedTensorType result,
                                   llvm::ArrayRef<int64_t> along);
mlir::LogicalResult checkSlice(mlir::Operation *op,
                               mlir::RankedTensorType source,
                               mlir::RankedTensorType result,
                               llvm::ArrayRef<int64_t> offsets);

/// Elements of one type to or from another that is only stored.
mlir::LogicalResult checkConvert(mlir::Operation *op,
                                 mlir::RankedTensorType source,
                                 mlir::RankedTensorType result);

/// The coordinates of a fragment's elements along one of its dimensions.
mlir::LogicalResult checkCoordinate(mlir::Operation *op,
                                    mlir::RankedTensorType result,
                                    int64_t dimension);
/// As many values as the text has places, fragments of one shape, and the
/// condition, if there is one, of that shape too.
mlir::LogicalResult checkPrinted(mlir::Operation *op, llvm::StringRef text,
                                 mlir::ValueRange values,
                                 mlir::Value condition);
/// Elements of memory of this type and rank, each at its own coordinates, that
/// are read, written or combined.
mlir::LogicalResult checkElements(mlir::Operation *op, mlir::Type memory,
                                  int64_t rank, mlir::RankedTensorType value,
                                  mlir::ValueRange coordinates,
                                  std::optional<Reduction> reduction);
/// What is combined along dimensions: 32 bits each, along ascending dimensions.
mlir::LogicalResult checkReduced(mlir::Operation *op,
                                 mlir::RankedTensorType source,
                                 llvm::ArrayRef<int64_t> dimensions);
/// A fragment of one element, and the element.
mlir::LogicalResult checkElement(mlir::Operation *op,
                                 mlir::RankedTensorType source,
                                 mlir::Type result);

/// An element of a shared tile.
mlir::LogicalResult checkSharedValue(mlir::Operation *op, SharedType tile,
                                     size_t coordinates, mlir::Type result);
/// What is combined with memory; `compared` may be null.
mlir::LogicalResult checkAtomic(mlir::Operation *op, Atomic kind,
                                mlir::Type value, mlir::Type compared,
                                mlir::Type result);

/// A parameter whose type a thread can hold.
mlir::LogicalResult checkScalar(mlir::Operation *op);

/// Whether a role of so many warps can multiply so.
mlir::LogicalResult checkMma(mlir::Operation *op, const Product &product,
                             llvm::StringRef role, int64_t warps);

/// What a role of so many threads holds is shared out among as many.
mlir::LogicalResult checkFragments(mlir::Operation *role, int64_t threads);

/// A role that waits by itself for the launches before has touched nothing that
/// they may write.
mlir::LogicalResult checkLaunchWaits(RoleOp role);

} // namespace ashlar::tile

#endif
