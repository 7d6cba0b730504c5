// How fragments that share a layout come from memory, and go there.
#ifndef ASHLAR_PASSES_FRAGMENTACCESSES_H
#define ASHLAR_PASSES_FRAGMENTACCESSES_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// What moves fragments that lie as one does.
struct FragmentMovement {
  int64_t transposedBytes = 0; ///< of an element transposed in shared memory
  bool global = false;
};

/// The accesses of a role to memory. `classOf` numbers values that share a
/// layout, and is the caller's.
class FragmentAccesses {
public:
  FragmentAccesses(tile::RoleOp role,
                   const llvm::DenseMap<mlir::Value, unsigned> &classOf)
      : role(role), classOf(classOf) {}

  FragmentMovement movementOf(mlir::Value value);

  /// The bytes of an element where fragments that lie as this one does are
  /// moved the most, in the innermost loop; of this one, if none of them is.
  /// Where columns are interleaved, of those that are stored there.
  int64_t movedBytes(mlir::Value value);

  /// Whether A is in registers, dense, and bytes that a transposed tile was
  /// read for.
  bool areColumnsOfA(tile::MmaOp mma);

private:
  bool areAlike(mlir::Value a, mlir::Value b) const {
    return classOf.lookup(a) == classOf.lookup(b);
  }

  tile::RoleOp role;
  const llvm::DenseMap<mlir::Value, unsigned> &classOf;
};

} // namespace ashlar

#endif
