// Tiles from global memory to stages and to L2, and to other CTAs.

#include "passes/Coordinates.h"
#include "passes/tile_to_hopper/Boxes.h"

namespace ashlar {

using namespace mlir;

/// By the role's threads.
static void lowerByThreads(tile::CopyOp op, tile::CopyOp::Adaptor adaptor,
                           Rewriter &rewriter, const Context &context) {
  const GlobalTensor global =
      context.parameters.tensor(op.getSource(), rewriter);
  const GlobalTensor rows = context.parameters.tensor(op.getRows(), rewriter);
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  hopper::CopyTileOp::create(
      rewriter, named(op, "copy"), global.pointer, adaptor.getCoordinates(),
      global.extents, global.strides, adaptor.getTarget(), rows.pointer,
      adaptor.getRowCoordinates(), rows.extents, rows.strides, pieceBytes(op),
      /*written=*/tensor.getAccess() != tile::Access::input,
      areNonNegative(op.getCoordinates(), context.facts));
  rewriter.eraseOp(op);
}

static void lower(tile::CopyOp op, tile::CopyOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const CopyMovement *movement = context.movements.of(op);
  if (!movement)
    return lowerByThreads(op, adaptor, rewriter, context);
  Location loc = named(op, "copy");
  Arithmetic a{rewriter, loc};
  tile::SharedType type = op.getTarget().getType();
  SmallVector<Value> coordinates = adaptor.getCoordinates();
  auto view = adaptor.getTarget().getDefiningOp<hopper::ViewOp>();
  Value address = view.getAddress(), mask;
  const Ring &ring = context.ringOf(tile::bufferOf(op.getTarget()));
  Value full = barrierOfStage(a, ring.fullOffset, view.getStage());

  if (movement->multicast) {
    const Multicast &slices = *movement->multicast;
    auto group = context.cluster.group(rewriter, loc, slices.dimensions);
    address = a.add(address, a.mul(group.place, slices.bytes));
    const size_t at =
        coordinates.size() - type.getShape().size() + slices.split;
    coordinates[at] = a.add(coordinates[at], a.mul(group.place, slices.rows));
    mask = group.mask;
  }
  SmallVector<std::pair<SmallVector<Value>, Value>> places;
  for (const layout::TmaBox &box : movement->tma.boxes)
    places.emplace_back(
        boxCoordinates(a, coordinates, box.offset),
        a.add(address, type.getLayout()->layout.at(box.offset)));
  Value map = mapFor(rewriter, op, op.getSource(), movement->tma);
  byOneThread(rewriter, loc, [&] {
    hopper::MbarrierExpectOp::create(rewriter, loc, full, type.sizeBytes());
    for (auto &[at, to] : places)
      hopper::TmaLoadOp::create(rewriter, loc, map, at, to, full, mask,
                                op.getKeptAttr());
  });
  rewriter.eraseOp(op);
}

static void lower(tile::CopyToPeerOp op, tile::CopyToPeerOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  const Location loc = named(op, "copy");
  const Arithmetic a{rewriter, loc};
  auto addressOf = [](Value tile) {
    return tile.getDefiningOp<hopper::ViewOp>().getAddress();
  };
  Value source = addressOf(adaptor.getSource()),
        target = addressOf(adaptor.getTarget()), barrier = adaptor.getBarrier();
  SmallVector<std::pair<Value, Value>> places;
  for (const layout::CommonPiece &piece : context.movements.of(op))
    places.emplace_back(a.add(source, piece.source),
                        a.add(target, piece.target));
  byOneThread(rewriter, loc, [&] {
    hopper::MbarrierExpectOp::create(rewriter, loc, barrier,
                                     op.getSource().getType().sizeBytes(),
                                     /*peer=*/true);
    for (auto [piece, place] : llvm::zip(context.movements.of(op), places))
      hopper::CopyToPeerOp::create(rewriter, loc, place.first, piece.bytes,
                                   place.second, barrier);
  });
  rewriter.eraseOp(op);
}

static void lower(tile::PrefetchOp op, tile::PrefetchOp::Adaptor adaptor,
                  Rewriter &rewriter, const Context &context) {
  Location loc = named(op, "prefetch");
  Arithmetic a{rewriter, loc};
  const TmaTile &tile = context.movements.of(op);
  SmallVector<Value> coordinates = adaptor.getCoordinates();
  // TMA's boxes begin on 16 bytes: here somewhat before the tile.
  const int64_t elementBytes =
      tile::elementBytes(op.getSource().getType().getElementType());
  if (rowAlignment(op.getSource(), op.getCoordinates(), context.facts) < 16)
    coordinates.back() =
        a.sub(coordinates.back(), a.rem(coordinates.back(), 16 / elementBytes));
  SmallVector<SmallVector<Value>> places;
  for (const layout::TmaBox &box : tile.boxes)
    places.push_back(boxCoordinates(a, coordinates, box.offset));
  Value map = mapFor(rewriter, op, op.getSource(), tile);
  byOneThread(rewriter, loc, [&] {
    for (auto &at : places)
      hopper::TmaPrefetchOp::create(rewriter, loc, map, at);
  });
  rewriter.eraseOp(op);
}

void addCopies(Patterns &patterns) {
  patterns.add<tile::CopyOp, tile::CopyToPeerOp, tile::PrefetchOp>();
}

} // namespace ashlar
