// How many stages a role may keep longer than its program says.
#ifndef ASHLAR_PASSES_TILETOHOPPER_KEPTSTAGES_H
#define ASHLAR_PASSES_TILETOHOPPER_KEPTSTAGES_H

#include "compiler/tile/Tile.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

/// The number of stages of each pipeline that a role may keep beyond its
/// releases while it waits at an acquire or a wait, with no deadlock that the
/// program does not have.
///
/// Only a producer that waits for a stage to be empty can depend on a kept one,
/// so a deadlock needs a role that keeps it and waits, in the end, for that
/// producer. It does not
/// - where only the role itself fills and drains the pipeline, but at its
///   acquires: there what is acquired and not released is to fit, with the
///   kept;
/// - at a wait for the pipeline's own stages, if it has one producer: all but
///   those that this holds are filled, up to what the role holds and keeps, so
///   the next one is among them where the three fit;
/// - where the roles go in step (StagesInStep.h), and what the role holds and
///   keeps leaves those free that its step still takes.
class KeptStages {
public:
  explicit KeptStages(tile::KernelOp kernel);

  using Numbers = llvm::MapVector<mlir::Value, int64_t>;
  /// By pipeline; those of which none may be kept are left out.
  Numbers at(mlir::Operation *taking) const { return numbers.lookup(taking); }

private:
  llvm::DenseMap<mlir::Operation *, Numbers> numbers;
};

} // namespace ashlar

#endif
