#include "passes/WarpTiles.h"

#include "compiler/layout/SharedTile.h"
#include "passes/SharedMemory.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The layout of the fragment that a write has, and the rows of the tile that
/// are each warp's own in it.
struct OwnRows {
  tile::FragmentAttr fragment;
  layout::WarpRows rows;
};

/// The rows that each warp writes of a tile, if they are its own: whole swizzle
/// atoms.
std::optional<OwnRows> rowsOfWarps(tile::WriteOp write) {
  auto type = cast<RankedTensorType>(write.getValue().getType());
  auto rows = layout::warpRows(tile::fragmentOf(type).getLayout());
  if (!rows || type.getRank() != 2 || write.getTransposed())
    return std::nullopt;
  const layout::SwizzledLayout &tile = *write.getTarget().getType().getLayout();
  auto isWhole = [&](int64_t row) {
    return tile.layout.at({row, 0}) % layout::alignmentBytes(tile) == 0;
  };
  if (!isWhole(rows->count) ||
      !llvm::all_of(rows->ofWarp.stride().flatten(), isWhole))
    return std::nullopt;
  for (int64_t part = 0; part < rows->parts; ++part)
    if (!isWhole(part * rows->stride) ||
        tile.layout.at({part * rows->stride, 0}) !=
            part * tile.layout.at({rows->stride, 0}))
      return std::nullopt;
  return OwnRows{tile::fragmentOf(type), *rows};
}

/// The tile that the warps' rows are those of: a part that starts with its
/// tile's first row has the same.
Value tileOfRows(Value shared) {
  auto part = shared.getDefiningOp<tile::PartOp>();
  return part && part.getOffsets().front() == 0 ? tileOfRows(part.getSource())
                                                : shared;
}

bool addWarpTile(tile::CopyOutOp out, WarpTiles &tiles) {
  Value tile = tileOfRows(out.getSource());
  std::optional<OwnRows> rows;
  for (Operation *access : accessesOf(tile)) {
    auto write = dyn_cast<tile::WriteOp>(access);
    if (tile::roleOf(access) != tile::roleOf(out) ||
        (!write && !isa<tile::CopyOutOp>(access)))
      return false;
    if (!overlap(accessedTile(access), tile))
      continue;
    if (tileOfRows(accessedTile(access)) != tile)
      return false;
    if (!write)
      continue;
    auto own = rowsOfWarps(write);
    if (!own || (rows && !(rows->rows == own->rows)))
      return false;
    rows = own;
  }
  if (!rows)
    return false;
  for (Operation *access : accessesOf(tile))
    if (tileOfRows(accessedTile(access)) == tile)
      tiles.try_emplace(accessedTile(access), rows->fragment);
  return true;
}

} // namespace

WarpTiles warpTilesOf(tile::RoleOp role) {
  WarpTiles tiles;
  bool all = true;
  role.walk([&](tile::CopyOutOp out) {
    all = all && (tiles.contains(out.getSource()) || addWarpTile(out, tiles));
  });
  return all ? tiles : WarpTiles();
}

} // namespace ashlar
