// What is known of a tile's coordinates before the kernel runs: it leaves out
// tests, and lets TMA move the tile.
#ifndef ASHLAR_PASSES_COORDINATES_H
#define ASHLAR_PASSES_COORDINATES_H

#include "passes/IndexFacts.h"

namespace ashlar {

/// Whether no coordinate is ever below zero.
bool areNonNegative(mlir::ValueRange coordinates, const IndexFacts &facts);

/// The bytes, a power of two, that the address of each row of a tile in a
/// tensor is known to be a multiple of.
int64_t rowAlignment(mlir::Value tensor, mlir::ValueRange coordinates,
                     const IndexFacts &facts);

} // namespace ashlar

#endif
