// Fragments through shared memory to global: staged by the role's threads, then
// moved by TMA.
//
// Where each warp writes rows of the tile that are its own, it also stores them
// by itself: no warp waits for another.

#include "compiler/layout/LayoutError.h"
#include "passes/tile_to_hopper/Boxes.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

void KernelLowering::findWarpTiles() {
  warpTiles.clear();
  bool all = true;
  role.walk([&](tile::CopyOutOp out) {
    auto alloc = out.getSource().getDefiningOp<tile::AllocOp>();
    std::optional<layout::WarpRows> rows;
    if (!alloc)
      return void(all = false);
    if (warpTiles.contains(out.getSource()))
      return;
    for (Operation *user : alloc.getResult().getUsers()) {
      auto write = dyn_cast<tile::WriteOp>(user);
      all &=
          tile::roleOf(user) == role && (write || isa<tile::CopyOutOp>(user));
      if (!write)
        continue;
      auto type = cast<RankedTensorType>(write.getValue().getType());
      auto own = layout::warpRows(layout::FragmentLayout::parse(
          cast<tile::FragmentAttr>(type.getEncoding()).getLayout().str()));
      all &= own && type.getRank() == 2 && !write.getTransposed();
      if (!all || (rows && !(*rows == *own)))
        return void(all = false);
      rows = own;
    }
    if (!rows)
      return void(all = false);
    // A warp's rows are whole swizzle atoms.
    layout::SwizzledLayout tile = layoutOf(out.getSource().getType());
    int64_t unit = layout::alignmentBytes(tile);
    all &= tile.layout.at({rows->count, 0}) % unit == 0;
    for (int64_t start : rows->starts)
      all &= tile.layout.at({start, 0}) % unit == 0;
    for (int64_t stride : rows->ofWarp.stride().flatten())
      all &= tile.layout.at({stride, 0}) % unit == 0;
    warpTiles.try_emplace(out.getSource(), *rows);
  });
  if (!all)
    warpTiles.clear();
}

void KernelLowering::waitForStores(Location loc, int64_t pending,
                                   bool written) {
  auto wait = [&] {
    hopper::BulkWaitOp::create(builder, loc, pending, /*read=*/!written);
  };
  if (warpTiles.empty())
    return once(loc, wait);
  auto perWarp = hopper::OncePerWarpOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&perWarp.getBody().emplaceBlock());
  wait();
}

/// The tiles handed to TMA between the last time this one was, an iteration ago
/// or in this one, and this write to it; 0 where that is not the same each
/// time.
int64_t KernelLowering::storesSince(tile::WriteOp op) {
  SmallVector<tile::CopyOutOp> stores;
  bool oneBlock = true;
  role.walk([&](tile::CopyOutOp out) {
    oneBlock &= out->getBlock() == op->getBlock();
    stores.push_back(out);
  });
  if (!oneBlock)
    return 0;
  int64_t count = stores.size(), before = 0;
  while (before < count && stores[before]->isBeforeInBlock(op))
    ++before;
  for (int64_t since = 0; since < count; ++since) {
    int64_t last = (before - 1 - since + 2 * count) % count;
    if (stores[last].getSource() == op.getTarget())
      return since;
  }
  return 0;
}

void KernelLowering::lower(tile::WriteOp op) {
  Location loc = named(*op, "store");
  if (warpTiles.contains(op.getTarget())) {
    waitForStores(loc, storesSince(op));
    hopper::WarpSyncOp::create(builder, loc);
  } else {
    orderSharedAccess(op.getTarget(), *op);
  }
  hopper::SharedStoreOp::create(builder, loc, lookup(op.getValue()),
                                lookup(op.getTarget()), op.getTransposed());
}

LogicalResult KernelLowering::lower(tile::CopyOutOp op) {
  Location loc = named(*op, "copy");
  Arithmetic a{builder, loc};
  tile::SharedType type = op.getSource().getType();
  auto rows = warpTiles.find(op.getSource());
  bool byWarps = rows != warpTiles.end();
  layout::SwizzledLayout layout = layoutOf(type);
  std::vector<int64_t> shape = type.getShape().vec();
  if (byWarps)
    shape[0] = rows->second.count;
  else
    orderSharedAccess(op.getSource(), *op);
  std::vector<layout::TmaBox> boxes;
  try {
    boxes = layout::tmaBoxes(
        byWarps ? layout::sharedTileLayout(shape, type.elementBytes()) : layout,
        shape, type.elementBytes());
  } catch (const layout::LayoutError &error) {
    return op.emitError("TMA cannot move this tile: ") << error.what();
  }
  Value address = addressOf(lookup(op.getSource()));
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  Value map = tensorMap(op.getTarget().getDefiningOp<tile::TensorOp>(),
                        boxes.front().box, swizzleBytes(layout));

  // TMA writes whole units of 16 bytes: a tile that crosses the end of rows
  // that are no multiple of that is written by threads.
  GlobalTensor global = globalTensor(op.getTarget());
  Value columns = global.extents.back();
  Value wholeUnits = a.equal(a.rem(a.mul(columns, type.elementBytes()), 16), 0);
  Value inside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle,
      a.add(coordinates.back(), type.getShape().back()), columns);
  Value byTma = arith::OrIOp::create(builder, loc, wholeUnits, inside);

  // Where the parts lie that are stored at once: the whole tile, or a warp's.
  struct Part {
    SmallVector<Value> coordinates;
    Value address;
  };
  SmallVector<Part> parts;
  if (byWarps) {
    Value row = a.constant(0), bytes = a.constant(0);
    Value rest = special(loc, "warp");
    auto extents = rows->second.ofWarp.shape().flatten();
    auto strides = rows->second.ofWarp.stride().flatten();
    for (auto [extent, stride] : llvm::zip(extents, strides)) {
      Value at = a.rem(rest, extent);
      rest = a.div(rest, extent);
      row = a.add(row, a.mul(at, stride));
      bytes = a.add(bytes, a.mul(at, layout.layout.at({stride, 0})));
    }
    for (int64_t start : rows->second.starts) {
      Part part{coordinates,
                a.add(a.add(address, bytes), layout.layout.at({start, 0}))};
      Value &first = part.coordinates[coordinates.size() - 2];
      first = a.add(first, a.add(row, start));
      parts.push_back(std::move(part));
    }
  } else {
    parts.push_back({coordinates, address});
  }
  SmallVector<std::pair<SmallVector<Value>, Value>> places;
  for (const Part &part : parts)
    for (const layout::TmaBox &box : boxes)
      places.emplace_back(boxCoordinates(a, part.coordinates, box.offset),
                          a.add(part.address, layout.layout.at(box.offset)));
  auto partType = tile::SharedType::get(
      builder.getContext(), shape, type.getElementType(), type.getLayout());
  SmallVector<Value> views;
  for (const Part &part : parts)
    views.push_back(
        hopper::ViewOp::create(builder, loc, partType, part.address));

  auto bySingleThread = [&](llvm::function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(builder);
    Region *region;
    if (byWarps)
      region = &hopper::OncePerWarpOp::create(builder, loc).getBody();
    else
      region = &hopper::OnceOp::create(builder, loc).getBody();
    builder.setInsertionPointToStart(&region->emplaceBlock());
    body();
  };
  auto branch = scf::IfOp::create(builder, loc, byTma, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  if (byWarps)
    hopper::WarpSyncOp::create(builder, loc);
  for (auto [part, view] : llvm::zip(parts, views))
    hopper::CopyTileOutOp::create(builder, loc, view, global.pointer,
                                  part.coordinates, global.extents,
                                  global.strides, op.getReductionAttr(),
                                  /*per_warp=*/byWarps);
  builder.setInsertionPointToStart(branch.thenBlock());
  bySingleThread([&] {
    for (auto &[at, from] : places)
      hopper::TmaStoreOp::create(builder, loc, from, map, at,
                                 op.getReductionAttr());
  });
  // A group for each tile, whoever stored it: so they can be counted.
  builder.setInsertionPointAfter(branch);
  bySingleThread([&] { hopper::BulkCommitOp::create(builder, loc); });
  return success();
}

} // namespace ashlar
