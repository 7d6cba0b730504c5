// Tiles from shared memory to global, by TMA where it can and else by threads.

#include "passes/Coordinates.h"
#include "passes/tile_to_hopper/Boxes.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Whether TMA can write a tile; threads write the others.
Value takenByTma(Arithmetic a, tile::CopyOutOp op, ArrayRef<Value> coordinates,
                 Value columns, const IndexFacts &facts) {
  tile::SharedType type = op.getSource().getType();
  auto onUnits = [&](Value column) {
    return a.equal(a.rem(a.mul(column, type.elementBytes()), 16), 0);
  };
  // It writes whole units of 16 bytes: the tile does not cross the end of rows
  // that are no multiple of that.
  Value wholeUnits = onUnits(columns);
  Value inside = arith::CmpIOp::create(
      a.builder, a.loc, arith::CmpIPredicate::sle,
      a.add(coordinates.back(), type.getShape().back()), columns);
  Value result = arith::OrIOp::create(a.builder, a.loc, wholeUnits, inside);
  auto demand = [&](Value condition) {
    result = arith::AndIOp::create(a.builder, a.loc, result, condition);
  };
  // It takes no box that begins off these units, or before the tensor.
  if (rowAlignment(op.getTarget(), op.getCoordinates(), facts) < 16)
    demand(onUnits(coordinates.back()));
  if (!areNonNegative(op.getCoordinates(), facts))
    for (Value coordinate : coordinates)
      demand(arith::CmpIOp::create(a.builder, a.loc, arith::CmpIPredicate::sge,
                                   coordinate, a.constant(0)));
  return result;
}

/// What is stored at once: the whole tile, or the first of a warp's parts,
/// which are evenly apart.
struct Pieces {
  Arithmetic a;
  SmallVector<Value> coordinates;
  Value address;
  int64_t parts = 1, rows = 0, bytes = 0;

  /// The parts of this warp.
  void ofWarp(const layout::WarpRows &own, const layout::Layout &tile) {
    parts = own.parts;
    rows = own.stride;
    bytes = tile.at({rows, 0});
    Value &row = coordinates[coordinates.size() - 2];
    Value rest = hopper::SpecialRegisterOp::create(a.builder, a.loc, "warp");
    for (auto [extent, stride] : llvm::zip(own.ofWarp.shape().flatten(),
                                           own.ofWarp.stride().flatten())) {
      Value at = a.rem(rest, extent);
      rest = a.div(rest, extent);
      row = a.add(row, a.mul(at, stride));
      address = a.add(address, a.mul(at, tile.at({stride, 0})));
    }
  }

  SmallVector<Value> coordinatesOf(Value part) const {
    SmallVector<Value> result(coordinates);
    if (rows) {
      Value &row = result[result.size() - 2];
      row = a.add(row, a.mul(part, rows));
    }
    return result;
  }

  Value addressOf(Value part) const {
    return rows ? a.add(address, a.mul(part, bytes)) : address;
  }
};

} // namespace

static void lower(tile::CopyOutOp op, tile::CopyOutOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  Location loc = named(op, "copy");
  Arithmetic a{rewriter, loc};
  tile::SharedType type = op.getSource().getType();
  const layout::Layout &layout = type.getLayout()->layout;
  const auto &[tma, rows] = context.movements.of(op);
  Pieces pieces{
      a, SmallVector<Value>(adaptor.getCoordinates()),
      adaptor.getSource().getDefiningOp<hopper::ViewOp>().getAddress()};
  const bool byWarps = rows.has_value();
  auto bySingleThread = [&](llvm::function_ref<void()> body) {
    byWarps ? byOneThreadPerWarp(rewriter, loc, body)
            : byOneThread(rewriter, loc, body);
  };
  auto storeByThreads = [&] {
    const GlobalTensor global =
        context.parameters.tensor(op.getTarget(), rewriter);
    auto partType = tile::SharedType::get(rewriter.getContext(), tma.shape,
                                          type.getElementType(), tma.layout);
    auto storePart = [&](Value part) {
      Value view = hopper::ViewOp::create(rewriter, loc, partType,
                                          pieces.addressOf(part));
      hopper::CopyTileOutOp::create(
          rewriter, loc, view, global.pointer, pieces.coordinatesOf(part),
          global.extents, global.strides,
          rowAlignment(op.getTarget(), op.getCoordinates(), context.facts),
          op.getReductionAttr(), /*per_warp=*/byWarps,
          areNonNegative(op.getCoordinates(), context.facts));
    };
    if (byWarps)
      hopper::WarpSyncOp::create(rewriter, loc);
    if (pieces.parts == 1)
      return storePart(a.constant(0));
    auto loop = scf::ForOp::create(rewriter, loc, a.constant(0),
                                   a.constant(pieces.parts), a.constant(1));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    storePart(loop.getInductionVar());
  };
  auto storeByTma = [&] {
    Value map = mapFor(rewriter, op, op.getTarget(), tma);
    SmallVector<std::pair<SmallVector<Value>, Value>> places;
    for (int64_t i = 0; i < pieces.parts; ++i) {
      Value part = a.constant(i);
      for (const layout::TmaBox &box : tma.boxes)
        places.emplace_back(
            boxCoordinates(a, pieces.coordinatesOf(part), box.offset),
            a.add(pieces.addressOf(part), layout.at(box.offset)));
    }
    bySingleThread([&] {
      for (auto &[at, from] : places)
        hopper::TmaStoreOp::create(rewriter, loc, from, map, at,
                                   op.getReductionAttr());
    });
  };

  Value byTma;
  if (isByTma(op))
    byTma = takenByTma(
        a, op, pieces.coordinates,
        context.parameters.tensor(op.getTarget(), rewriter).extents.back(),
        context.facts);
  if (byWarps)
    pieces.ofWarp(*rows, layout);
  if (byTma) {
    auto branch =
        scf::IfOp::create(rewriter, loc, byTma, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    storeByTma();
    rewriter.setInsertionPointToStart(branch.elseBlock());
    storeByThreads();
    rewriter.setInsertionPointAfter(branch);
    // A group for each tile, whoever stored it: so they can be counted.
    bySingleThread([&] { hopper::BulkCommitOp::create(rewriter, loc); });
  } else {
    storeByThreads();
  }
  rewriter.eraseOp(op);
}

void addStores(Patterns &patterns) { patterns.add<tile::CopyOutOp>(); }

} // namespace ashlar
