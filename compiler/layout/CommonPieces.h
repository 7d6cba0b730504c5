// What lies together in two tiles in shared memory, so that a copy of bytes
// moves it.

#pragma once

#include "compiler/layout/Swizzle.h"

#include <vector>

namespace ashlar::layout {

/// Bytes at an offset from the first byte of a tile, and at one from the first
/// byte of another: the same elements, in the same order.
struct CommonPiece {
  int64_t source, target, bytes;

  bool operator==(const CommonPiece &other) const = default;
};

/// All elements of a tile, as it lies in one place and in another, in as few
/// pieces of whole 16 bytes as there are, in the order of the source.
///
/// Refuses unless rows of the tile are whole multiples of 16 bytes.
Result<std::vector<CommonPiece>> commonPieces(const SwizzledLayout &source,
                                              const SwizzledLayout &target,
                                              int64_t elementBytes);

} // namespace ashlar::layout
