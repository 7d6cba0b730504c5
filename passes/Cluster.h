// Where a CTA stands in its cluster, and which of its peers want the same tile.
#ifndef ASHLAR_PASSES_CLUSTER_H
#define ASHLAR_PASSES_CLUSTER_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// The cluster of a kernel. A CTA's rank counts the first dimension fastest.
class Cluster {
public:
  explicit Cluster(tile::KernelOp kernel);

  int64_t size() const { return count; }
  llvm::ArrayRef<int64_t> extents() const { return shape; }

  /// This CTA's coordinate in the cluster, per dimension.
  llvm::SmallVector<mlir::Value> coordinates(mlir::OpBuilder &builder,
                                             mlir::Location loc) const;

  /// The rank of the CTA `delta` further along each dimension, cyclically.
  mlir::Value peer(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::ArrayRef<int64_t> delta) const;

  /// The dimensions of more than one CTA that the coordinates of a copy do not
  /// depend on: the CTAs along them want the same tile.
  llvm::SmallVector<int64_t> sharedDimensions(tile::CopyOp copy) const;

  /// The offsets of all CTAs along `dimensions`, this one's own included.
  std::vector<std::vector<int64_t>>
  deltas(llvm::ArrayRef<int64_t> dimensions) const;

  /// The multicast mask of the CTAs along `dimensions` of this one, and this
  /// one's place among them.
  struct Group {
    int64_t size;
    mlir::Value mask, place;
  };
  Group group(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::ArrayRef<int64_t> dimensions) const;

private:
  llvm::SmallVector<int64_t> shape;
  int64_t count = 1;
};

} // namespace ashlar

#endif
