// Tiles in shared memory, as TMA writes them and wgmma reads them.

#pragma once

#include "compiler/layout/Swizzle.h"
#include "compiler/layout/TmaBox.h"

#include <optional>

namespace ashlar::layout {

/// The layout, in bytes, of a row-major tile of rank 1 to 5 in shared memory.
///
/// Rows of shape.back() elements are cut into column blocks as wide as the
/// widest swizzle atom (128, 64, 32 or 16 bytes) that divides them. Each block
/// is dense, all leading dimensions one below the other, and the blocks follow
/// one another. Mode i of the layout is dimension i: a 128x128 bf16 tile is
/// S<3,4,3> o (128,(64,2)):(128,(2,16384)).
///
/// Refuses unless rows are whole multiples of 16 bytes, or there is but one.
Result<SwizzledLayout> sharedTileLayout(std::vector<int64_t> shape,
                                        int64_t elementBytes);

/// A matrix as `sharedTileLayout` has it whose rows 0, 2, 4 and so on lie
/// before rows 1, 3, 5. Refuses what wgmma could not read: rows that are no
/// multiple of 16.
Result<SwizzledLayout> evenRowsFirst(const std::vector<int64_t> &shape,
                                     int64_t elementBytes);

/// Whether a matrix lies so; whether a part of one may, whose rows are not one
/// behind the other; and a matrix that does, its rows numbered as they lie.
bool hasEvenRowsFirst(const SwizzledLayout &tile);
bool areRowsApart(const SwizzledLayout &tile);
SwizzledLayout rowsAsTheyLie(const SwizzledLayout &tile);

/// A matrix as `sharedTileLayout` has it, of each eight columns of which 0, 4,
/// 1, 5, 2, 6, 3, 7 lie one after another. Refuses what has no whole eights.
Result<SwizzledLayout> interleavedColumns(const std::vector<int64_t> &shape,
                                          int64_t elementBytes);

/// Whether a matrix, or a part of one, lies so; and it with its columns
/// numbered as they lie.
bool hasInterleavedColumns(const SwizzledLayout &tile);
SwizzledLayout columnsAsTheyLie(const SwizzledLayout &tile);

/// Why the rows of `what` (the shared tile, ...) are none that TMA moves.
std::optional<Refusal> whyNotRows(const char *what,
                                  const std::vector<int64_t> &shape,
                                  int64_t elementBytes);

/// The part of a tile of this shape from `offset` on, an element coordinate:
/// its offsets count from its own first byte.
///
/// Refuses unless the part begins with a swizzle atom, has rows of whole
/// multiples of 16 bytes or but one, and takes whole column blocks or lies
/// within one.
Result<SwizzledLayout> partOfTile(const SwizzledLayout &tile,
                                  const std::vector<int64_t> &offset,
                                  const std::vector<int64_t> &shape,
                                  int64_t elementBytes);

/// The places along a dimension of a tile from which a part of it may begin,
/// whatever the other dimensions are: multiples of `elements`, each `bytes`
/// behind the one before it.
struct PartPlaces {
  int64_t elements, bytes;

  bool operator==(const PartPlaces &other) const = default;
};
PartPlaces partPlaces(const SwizzledLayout &tile, int64_t dimension);

/// The bytes of one row of the swizzle atom, 16 << bits.
int64_t atomBytes(const SwizzledLayout &tile);

/// The alignment of the tile's base that makes the swizzle of addresses the
/// swizzle of offsets: 8 rows of the atom, at least 128 bytes.
int64_t alignmentBytes(const SwizzledLayout &tile);

} // namespace ashlar::layout
