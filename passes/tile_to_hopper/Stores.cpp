// Fragments through shared memory to global: staged by the role's threads, then
// moved by TMA.
//
// Where each warp writes rows of the tile that are its own, it also stores them
// by itself: no warp waits for another.

#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/Boxes.h"
#include "passes/tile_to_hopper/Coordinates.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The rows that each warp writes of a tile, if they are its own: whole swizzle
/// atoms.
std::optional<layout::WarpRows> rowsOfWarps(tile::WriteOp write) {
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
  return rows;
}

/// The tile that the warps' rows are those of: a part that starts with its
/// tile's first row has the same.
Value tileOfRows(Value shared) {
  auto part = shared.getDefiningOp<tile::PartOp>();
  return part && part.getOffsets().front() == 0 ? tileOfRows(part.getSource())
                                                : shared;
}

} // namespace

bool KernelLowering::findWarpTile(tile::CopyOutOp out) {
  Value tile = tileOfRows(out.getSource());
  std::optional<layout::WarpRows> rows;
  for (Operation *access : accessesOf(tile)) {
    auto write = dyn_cast<tile::WriteOp>(access);
    if (tile::roleOf(access) != role ||
        (!write && !isa<tile::CopyOutOp>(access)))
      return false;
    if (!overlap(accessedTile(access), tile))
      continue;
    if (tileOfRows(accessedTile(access)) != tile)
      return false;
    if (!write)
      continue;
    auto own = rowsOfWarps(write);
    if (!own || (rows && !(*rows == *own)))
      return false;
    rows = own;
  }
  if (!rows)
    return false;
  for (Operation *access : accessesOf(tile))
    if (tileOfRows(accessedTile(access)) == tile)
      warpTiles.try_emplace(accessedTile(access), *rows);
  return true;
}

void KernelLowering::findWarpTiles() {
  warpTiles.clear();
  bool all = true;
  role.walk([&](tile::CopyOutOp out) {
    all = all && (warpTiles.contains(out.getSource()) || findWarpTile(out));
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

/// The tiles handed to TMA between the last one that this write overwrites, of
/// an iteration ago or of this one, and the write; 0 where that is not the same
/// each time. Nothing where the write is the first: a stage is taken again only
/// when TMA has read it.
std::optional<int64_t> KernelLowering::storesSince(tile::WriteOp op) {
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
  bool inStage = tile::bufferOf(op.getTarget()) != nullptr;
  for (int64_t since = 0; since < (inStage ? before : count); ++since) {
    int64_t last = (before - 1 - since + 2 * count) % count;
    if (overlap(stores[last].getSource(), op.getTarget()))
      return since;
  }
  return inStage ? std::nullopt : std::optional<int64_t>(0);
}

void KernelLowering::lower(tile::WriteOp op) {
  Location loc = named(*op, "store");
  if (warpTiles.contains(op.getTarget())) {
    if (auto pending = storesSince(op)) {
      waitForStores(loc, *pending);
      hopper::WarpSyncOp::create(builder, loc);
    }
  } else {
    orderSharedAccess(op.getTarget(), *op);
  }
  hopper::SharedStoreOp::create(builder, loc, lookup(op.getValue()),
                                lookup(op.getTarget()), op.getTransposed());
}

/// Whether TMA can write a tile; threads write the others.
Value KernelLowering::takenByTma(tile::CopyOutOp op,
                                 ArrayRef<Value> coordinates, Value columns,
                                 Location loc) {
  Arithmetic a{builder, loc};
  tile::SharedType type = op.getSource().getType();
  auto onUnits = [&](Value column) {
    return a.equal(a.rem(a.mul(column, type.elementBytes()), 16), 0);
  };
  // It writes whole units of 16 bytes: the tile does not cross the end of rows
  // that are no multiple of that.
  Value wholeUnits = onUnits(columns);
  Value inside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle,
      a.add(coordinates.back(), type.getShape().back()), columns);
  Value result = arith::OrIOp::create(builder, loc, wholeUnits, inside);
  auto demand = [&](Value condition) {
    result = arith::AndIOp::create(builder, loc, result, condition);
  };
  // It takes no box that begins off these units, or before the tensor.
  if (rowAlignment(op.getTarget(), op.getCoordinates()) < 16)
    demand(onUnits(coordinates.back()));
  if (!areNonNegative(op.getCoordinates()))
    for (Value coordinate : coordinates)
      demand(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                   coordinate, a.constant(0)));
  return result;
}

LogicalResult KernelLowering::lower(tile::CopyOutOp op) {
  Location loc = named(*op, "copy");
  Arithmetic a{builder, loc};
  tile::SharedType type = op.getSource().getType();
  auto rows = warpTiles.find(op.getSource());
  bool byWarps = rows != warpTiles.end();
  const layout::SwizzledLayout &layout = *type.getLayout();
  std::vector<int64_t> shape = type.getShape().vec();
  if (byWarps)
    shape[0] = rows->second.count;
  else
    orderSharedAccess(op.getSource(), *op);
  std::vector<int64_t> first(shape.size(), 0);
  auto part = layout::partOfTile(layout, first, shape, type.elementBytes());
  auto boxes = part ? layout::tmaBoxes(*part, shape, type.elementBytes())
                    : part.refusal();
  if (!boxes)
    return op.emitError("TMA cannot move this tile: ") << boxes.why();
  Value address = addressOf(lookup(op.getSource()));
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  Value map = tensorMap(op.getTarget().getDefiningOp<tile::TensorOp>(),
                        boxes->front().box, swizzleBytes(layout));

  GlobalTensor global = globalTensor(op.getTarget());
  bool nonNegative = areNonNegative(op.getCoordinates());
  Value byTma = takenByTma(op, coordinates, global.extents.back(), loc);

  // What is stored at once: the whole tile, or the first of a warp's parts,
  // which are evenly apart.
  int64_t parts = 1, partRows = 0, partBytes = 0;
  if (byWarps) {
    const layout::WarpRows &ofWarps = rows->second;
    parts = ofWarps.parts;
    partRows = ofWarps.stride;
    partBytes = layout.layout.at({partRows, 0});
    Value &row = coordinates[coordinates.size() - 2];
    Value rest = special(loc, "warp");
    for (auto [extent, stride] : llvm::zip(ofWarps.ofWarp.shape().flatten(),
                                           ofWarps.ofWarp.stride().flatten())) {
      Value at = a.rem(rest, extent);
      rest = a.div(rest, extent);
      row = a.add(row, a.mul(at, stride));
      address = a.add(address, a.mul(at, layout.layout.at({stride, 0})));
    }
  }
  auto coordinatesOf = [&](Value part) {
    SmallVector<Value> result(coordinates);
    if (byWarps) {
      Value &row = result[result.size() - 2];
      row = a.add(row, a.mul(part, partRows));
    }
    return result;
  };
  auto addressOfPart = [&](Value part) {
    return byWarps ? a.add(address, a.mul(part, partBytes)) : address;
  };

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
  auto partType = tile::SharedType::get(builder.getContext(), shape,
                                        type.getElementType(), *part);
  auto storeByThreads = [&](Value part) {
    Value view =
        hopper::ViewOp::create(builder, loc, partType, addressOfPart(part));
    hopper::CopyTileOutOp::create(builder, loc, view, global.pointer,
                                  coordinatesOf(part), global.extents,
                                  global.strides, op.getReductionAttr(),
                                  /*per_warp=*/byWarps, nonNegative);
  };
  if (parts == 1) {
    storeByThreads(a.constant(0));
  } else {
    auto loop = scf::ForOp::create(builder, loc, a.constant(0),
                                   a.constant(parts), a.constant(1));
    builder.setInsertionPointToStart(loop.getBody());
    storeByThreads(loop.getInductionVar());
  }
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<std::pair<SmallVector<Value>, Value>> places;
  for (int64_t i = 0; i < parts; ++i) {
    Value part = a.constant(i);
    for (const layout::TmaBox &box : *boxes)
      places.emplace_back(
          boxCoordinates(a, coordinatesOf(part), box.offset),
          a.add(addressOfPart(part), layout.layout.at(box.offset)));
  }
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
