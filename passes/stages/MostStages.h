// How many stages a role may hold, released or not by its program.
#ifndef ASHLAR_PASSES_STAGES_MOSTSTAGES_H
#define ASHLAR_PASSES_STAGES_MOSTSTAGES_H

#include "compiler/tile/Tile.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

/// The number of stages of each pipeline that a role may hold while it waits at
/// an acquire or a wait, with no deadlock that the program does not have. It
/// counts those that the role has taken, from the first that it has not given
/// back on.
///
/// Only a producer that waits for a stage to be empty can depend on one that is
/// released late, so a deadlock needs a role that holds it and waits, in the
/// end, for that producer. It does not
/// - where only the role itself fills and drains the pipeline, but at its
///   acquires: there what is acquired ahead is to fit as well;
/// - at a wait for the pipeline's own stages, if it has one producer: all but
///   those that this holds are filled, up to what the role holds, so the next
///   one is among them where both fit;
/// - where the roles go in step (StagesInStep.h), and what the role holds
///   leaves those free that its step still takes.
class MostStages {
public:
  explicit MostStages(tile::KernelOp kernel);

  using Numbers = llvm::MapVector<mlir::Value, int64_t>;
  /// By pipeline; those of which none may be held are left out.
  Numbers at(mlir::Operation *taking) const { return numbers.lookup(taking); }
  /// The most stages that a role has taken after the one that it releases.
  int64_t newerThan(tile::ReleaseOp release) const {
    return newer.lookup(release);
  }

private:
  llvm::DenseMap<mlir::Operation *, Numbers> numbers;
  llvm::DenseMap<mlir::Operation *, int64_t> newer;
};

} // namespace ashlar

#endif
