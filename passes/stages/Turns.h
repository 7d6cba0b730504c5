// Loops whose iterations the instances of a role take in turns.
#ifndef ASHLAR_PASSES_STAGES_TURNS_H
#define ASHLAR_PASSES_STAGES_TURNS_H

#include "compiler/tile/Tile.h"

namespace ashlar {

/// Whether an operation stands in a loop in turns.
bool isInTurns(mlir::Operation *op);
/// Whether it is or has one.
bool hasTurns(mlir::Operation *op);

/// Refuses what can't stand in a loop in turns, at the author's line; why
/// follows.
mlir::InFlightDiagnostic refuseInTurns(mlir::Operation *op);
/// Refuses a stage that all instances would take.
mlir::LogicalResult refuseStageOfAll(mlir::Operation *take);

/// Gives each instance of the role its own iterations of the loops in turns,
/// and lets it pass by the stages of the others'. One loop goes on with the
/// instance behind that which had the last iteration of the one before.
/// Refuses, at the author's line, what can't be shared out.
mlir::LogicalResult takeTurns(tile::RoleOp role);

} // namespace ashlar

#endif
