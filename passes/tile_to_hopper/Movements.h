// How copies between global and shared memory go.
#ifndef ASHLAR_PASSES_TILETOHOPPER_MOVEMENTS_H
#define ASHLAR_PASSES_TILETOHOPPER_MOVEMENTS_H

#include "compiler/layout/CommonPieces.h"
#include "compiler/layout/Fragment.h"
#include "compiler/layout/TmaBox.h"
#include "passes/Cluster.h"

namespace ashlar {

/// A tile as the boxes that TMA moves.
struct TmaTile {
  /// What is moved at once: the tile, this CTA's slice of it, or what a warp
  /// has of it in one piece.
  std::vector<int64_t> shape;
  layout::SwizzledLayout layout;
  std::vector<layout::TmaBox> boxes;

  /// Bytes of the swizzle atom's rows; 0 for none.
  int64_t swizzleBytes() const;
};

/// A copy that every CTA along these dimensions of the cluster fetches a slice
/// of, and sends to all of them.
struct Multicast {
  llvm::SmallVector<int64_t> dimensions;
  size_t split;        ///< the dimension of the tile that is cut
  int64_t rows, bytes; ///< of a slice
};

struct CopyMovement {
  TmaTile tma;
  std::optional<Multicast> multicast;
};

struct CopyOutMovement {
  TmaTile tma; ///< without boxes where the tensor is not aligned for TMA
  /// Where each warp stores rows of its own.
  std::optional<layout::WarpRows> rows;
};

/// The movements of a kernel: what the copy engine makes of them.
class Movements {
public:
  /// Refuses what the engine cannot move, at the author's line.
  static llvm::FailureOr<Movements> of(tile::KernelOp kernel,
                                       const Cluster &cluster);

  /// Null where TMA does not take the copy.
  const CopyMovement *of(tile::CopyOp copy) const;
  const CopyOutMovement &of(tile::CopyOutOp copy) const {
    return copiesOut.find(copy)->second;
  }
  llvm::ArrayRef<layout::CommonPiece> of(tile::CopyToPeerOp copy) const {
    return copiesToPeers.find(copy)->second;
  }
  const TmaTile &of(tile::PrefetchOp prefetch) const {
    return prefetches.find(prefetch)->second;
  }

private:
  llvm::DenseMap<mlir::Operation *, CopyMovement> copies;
  llvm::DenseMap<mlir::Operation *, CopyOutMovement> copiesOut;
  llvm::DenseMap<mlir::Operation *, std::vector<layout::CommonPiece>>
      copiesToPeers;
  llvm::DenseMap<mlir::Operation *, TmaTile> prefetches;
};

} // namespace ashlar

#endif
