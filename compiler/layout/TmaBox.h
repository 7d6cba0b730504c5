// The TMA copies that fill a shared tile.

#pragma once

#include "compiler/layout/Swizzle.h"

namespace ashlar::layout {

/// One TMA copy of a part of a tile.
struct TmaBox {
  /// Extent in elements per tensor dimension, outermost first.
  std::vector<int64_t> box;
  /// How far an element of the box is from the one before it, per tensor
  /// dimension: 1, or where the tile's rows are apart in the tensor 2 and more.
  std::vector<int64_t> step;
  /// Offset in elements of the box inside the tile, per tensor dimension.
  std::vector<int64_t> offset;
  /// Where in the tile's shared memory the first element of the box lies.
  int64_t sharedOffsetBytes;

  bool operator==(const TmaBox &other) const = default;
};

/// The boxes, all of the same extents and steps, whose dense row-major images,
/// swizzled on address bits, make up the tile.
///
/// The innermost extent is the row of the swizzle atom, or of a part of a tile
/// that is narrower: in shared memory TMA leaves the rest of the row free (CUDA
/// programming guide, "TMA swizzle"). Other extents are at most 256, times the
/// step (cuTensorMapEncodeTiled). A dimension is split evenly into the
/// fewest parts that start at multiples of alignmentBytes; dimensions outside
/// a split one are walked box by box. `tile` may also be a slice of a shared
/// tile: what matters is that each box lies dense in it.
///
/// Refuses where a dimension has no such split, where the tile is not made of
/// rows of its atom, or where a box would not start at a multiple of 128 bytes
/// (PTX ISA, cp.async.bulk.tensor).
Result<std::vector<TmaBox>> tmaBoxes(const SwizzledLayout &tile,
                                     std::vector<int64_t> shape,
                                     int64_t elementBytes);

} // namespace ashlar::layout
