// How many stages a role holds where it takes another one.
#ifndef ASHLAR_PASSES_STAGES_HELDSTAGES_H
#define ASHLAR_PASSES_STAGES_HELDSTAGES_H

#include "compiler/tile/Tile.h"
#include "llvm/ADT/DenseMap.h"

namespace ashlar {

/// Whether an operation takes a stage to be filled, or tries to.
bool acquires(mlir::Operation *op);
/// Whether an operation takes a stage to be read, or tries to.
bool waits(mlir::Operation *op);

/// What a role takes a stage for.
enum class Side { filling, draining };
/// A pipeline, and the side on which a role takes its stages.
using SideOfPipeline = std::pair<mlir::Value, Side>;

/// The most stages of a pipeline that a role has at a point, over all paths.
class HeldStages {
public:
  enum class Of {
    filling,  ///< acquired and not committed
    draining, ///< waited for and not released
    ahead, ///< acquired and not waited for, by the only role that does either
  };
  HeldStages(tile::RoleOp role, mlir::Value pipeline, Of what);

  static constexpr int64_t unbounded = int64_t(1) << 40;
  /// Before an operation that takes a stage, of any pipeline.
  int64_t before(mlir::Operation *taking) const {
    return counts.lookup(taking);
  }
  /// Draining, the stages taken after the one that is released.
  int64_t after(mlir::Operation *release) const {
    return counts.lookup(release);
  }
  /// At any point.
  int64_t most() const { return highest; }

private:
  llvm::DenseMap<mlir::Operation *, int64_t> counts;
  int64_t highest = 0;
};

} // namespace ashlar

#endif
