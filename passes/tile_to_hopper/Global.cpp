// Fragments to and from global memory, and what CTAs tell one another there.

#include "passes/tile_to_hopper/Boxes.h"
#include "passes/tile_to_hopper/Coordinates.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

void KernelLowering::lower(tile::LoadOp op) {
  auto global = globalTensor(op.getSource());
  map.map(op.getResult(),
          hopper::LoadOp::create(
              builder, named(*op, "load"), op.getResult().getType(),
              global.pointer, lookup(op.getCoordinates()), global.extents,
              global.strides, rowAlignment(op.getSource(), op.getCoordinates()),
              op.getTransposed(), areNonNegative(op.getCoordinates())));
}

void KernelLowering::lower(tile::StoreOp op) {
  auto global = globalTensor(op.getTarget());
  hopper::StoreOp::create(
      builder, named(*op, "store"), lookup(op.getValue()), global.pointer,
      lookup(op.getCoordinates()), global.extents, global.strides,
      rowAlignment(op.getTarget(), op.getCoordinates()), op.getTransposed(),
      areNonNegative(op.getCoordinates()));
}

void KernelLowering::lower(tile::ReduceIntoOp op) {
  auto global = globalTensor(op.getTarget());
  hopper::ReduceIntoOp::create(builder, named(*op, "reduce"),
                               lookup(op.getValue()), op.getReduction(),
                               global.pointer, lookup(op.getCoordinates()),
                               global.extents, global.strides);
}

void KernelLowering::lower(tile::InsideOp op) {
  auto tensor = op.getTensor().getDefiningOp<tile::TensorOp>();
  map.map(op.getResult(),
          hopper::InsideOp::create(
              builder, named(*op, "inside"), op.getResult().getType(),
              lookup(op.getCoordinates()), lookup(tensor.getExtents()),
              op.getTransposed(), areNonNegative(op.getCoordinates())));
}

LogicalResult KernelLowering::lower(tile::PrefetchOp op) {
  Location loc = named(*op, "prefetch");
  Arithmetic a{builder, loc};
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  int64_t elementBytes =
      tile::elementBytes(op.getSource().getType().getElementType());
  if (tensor.getAlignment() < 16)
    return op.emitError("tensor '")
           << tensor.getName() << "' is aligned to " << tensor.getAlignment()
           << " bytes; a prefetch is TMA and needs 16: leave it out, or "
              "declare align(16)";
  std::vector<int64_t> shape = op.getShape().vec();
  auto cannot = [&](const std::string &why) {
    return op.emitError("TMA cannot prefetch this tile: ") << why;
  };
  auto layout = layout::sharedTileLayout(shape, elementBytes);
  if (!layout)
    return cannot(layout.why());
  auto boxes = layout::tmaBoxes(*layout, shape, elementBytes);
  if (!boxes)
    return cannot(boxes.why());
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  // TMA's boxes begin on 16 bytes: here somewhat before the tile.
  if (rowAlignment(op.getSource(), op.getCoordinates()) < 16)
    coordinates.back() =
        a.sub(coordinates.back(), a.rem(coordinates.back(), 16 / elementBytes));
  SmallVector<SmallVector<Value>> places;
  for (const layout::TmaBox &box : *boxes)
    places.push_back(boxCoordinates(a, coordinates, box.offset));
  Value map = tensorMap(tensor, boxes->front().box, swizzleBytes(*layout));
  once(loc, [&] {
    for (auto &at : places)
      hopper::TmaPrefetchOp::create(builder, loc, map, at);
  });
  return success();
}

void KernelLowering::lower(tile::SignalOp op) {
  Location loc = named(*op, "signal");
  auto global = globalTensor(op.getCounter());
  if (copiesOut(role))
    waitForStores(loc, 0, /*written=*/true);
  roleBarrier(loc);
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  once(loc, [&] {
    hopper::SignalOp::create(builder, loc, lookup(op.getAmount()),
                             global.pointer, coordinates, global.strides);
  });
}

void KernelLowering::lower(tile::AwaitOp op) {
  Location loc = named(*op, "await");
  auto global = globalTensor(op.getCounter());
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  once(loc, [&] {
    hopper::AwaitOp::create(builder, loc, global.pointer, coordinates,
                            global.strides, lookup(op.getValue()));
  });
  roleBarrier(loc);
}

} // namespace ashlar
