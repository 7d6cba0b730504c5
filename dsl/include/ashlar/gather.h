// Single elements of memory, each at coordinates of its own: table look-ups,
// histograms, permutations. Rows and tiles move faster by `load`, `store` and
// `copy`, with `rows(indices)` too: here each element is an access.
#pragma once

#include "ashlar/arithmetic.h"
#include "ashlar/copy.h"

#include <initializer_list>

namespace ashlar {

/// Of each element, what memory holds at its coordinates, one for each
/// dimension: fragments of s32, `along_rows` of vectors, indices and numbers,
/// which broadcast to the result's shape. Zero outside, which `--check-indices`
/// reports. tf32 arrives as f32, u8
/// as s32.
///
///   Fragment y = gather(table, {x});                  // y[i, j] = table[x[i,
///   j]] Fragment z = gather(A, {along_rows(rows), columns({16, 64})});
Fragment gather(const Tensor &source,
                std::initializer_list<detail::TileOperand> coordinates,
                SourceLocation where = SourceLocation::current());
/// The same of a shared tile.
Fragment gather(const SharedTile &source,
                std::initializer_list<detail::TileOperand> coordinates,
                SourceLocation where = SourceLocation::current());

/// Each element to its coordinates, which broadcast to the fragment's shape.
/// Outside nothing is written. Two elements with the same coordinates are a
/// race, which the simulator reports: combine them by a `Reduction`.
void scatter(const Tensor &target,
             std::initializer_list<detail::TileOperand> coordinates,
             const Fragment &value,
             SourceLocation where = SourceLocation::current());
/// The same to a shared tile outside of any pipeline.
void scatter(const SharedTile &target,
             std::initializer_list<detail::TileOperand> coordinates,
             const Fragment &value,
             SourceLocation where = SourceLocation::current());

/// Each element combined with what is at its coordinates, atomically: of s32,
/// and sums of f32 (in no particular order).
void scatter(const Tensor &target,
             std::initializer_list<detail::TileOperand> coordinates,
             const Fragment &value, Reduction reduction,
             SourceLocation where = SourceLocation::current());
void scatter(const SharedTile &target,
             std::initializer_list<detail::TileOperand> coordinates,
             const Fragment &value, Reduction reduction,
             SourceLocation where = SourceLocation::current());

} // namespace ashlar
