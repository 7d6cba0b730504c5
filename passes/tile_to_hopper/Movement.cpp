// Tiles and fragments on the move, and the mma that reads them.

#include "passes/SharedMemory.h"
#include "passes/tile_to_hopper/Boxes.h"
#include "passes/tile_to_hopper/Coordinates.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;
using layout::SwizzledLayout;

namespace {

/// Tells the author which way a copy goes that TMA does not take, and why.
void remarkWay(tile::CopyOp op, int64_t alignment) {
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  int64_t elementBytes = op.getTarget().getType().elementBytes();
  InFlightDiagnostic remark = op.emitRemark("this copy goes by ");
  if (alignment >= 4)
    remark << "cp.async, " << alignment << " bytes at a time";
  else
    remark << "ordinary loads, element by element";
  remark << ", not by TMA: ";
  if (tensor.getAlignment() < 16)
    remark << "tensor '" << tensor.getName() << "' is aligned to "
           << tensor.getAlignment() << " bytes; TMA needs 16";
  else
    remark << "its last coordinate is not known to be a multiple of "
           << 16 / elementBytes << " elements, the 16 bytes that TMA needs; "
           << "promise it with multiple_of(index, " << 16 / elementBytes << ")";
}

} // namespace

LogicalResult KernelLowering::lower(tile::CopyOp op) {
  if (op.getMulticast() && !source.getCluster())
    return op.emitError("this copy is multicast, and kernel '")
           << source.getSymName()
           << "' has no cluster: call cluster({...}) before the roles";
  if (engineOf(op) == CopyEngine::tma)
    return lowerTma(op);
  auto global = globalTensor(op.getSource());
  int64_t alignment = rowAlignment(op.getSource(), op.getCoordinates());
  remarkWay(op, alignment);
  hopper::CopyTileOp::create(builder, named(*op, "copy"), global.pointer,
                             lookup(op.getCoordinates()), global.extents,
                             global.strides, lookup(op.getTarget()), alignment,
                             areNonNegative(op.getCoordinates()));
  return success();
}

LogicalResult KernelLowering::lowerTma(tile::CopyOp op) {
  Location loc = named(*op, "copy");
  Arithmetic a{builder, loc};
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  tile::SharedType type = op.getTarget().getType();
  const SwizzledLayout &layout = *type.getLayout();
  std::vector<int64_t> shape = type.getShape().vec();
  SmallVector<Value> coordinates = lookup(op.getCoordinates());
  Value address = addressOf(lookup(op.getTarget()));
  auto buffer = op.getTarget().getDefiningOp<tile::BufferOp>();
  Ring &ring = ringOf(tile::pipelineOf(buffer.getStage()));
  Value full = barrier(loc, ring.fullOffset, lookup(buffer.getStage()));

  // Multicast: this CTA fetches its slice of the first dimension that has more
  // than one element, and sends it to the whole group.
  Value mask;
  std::vector<int64_t> zero(shape.size(), 0);
  if (op.getMulticast() && cluster.size() > 1) {
    auto dimensions = cluster.sharedDimensions(op);
    if (dimensions.empty())
      return op.emitError("this copy is multicast, but each CTA of the cluster "
                          "wants another tile: its coordinates depend on every "
                          "dimension of the cluster; leave multicast out");
    size_t split = 0;
    while (split + 1 < shape.size() && shape[split] == 1)
      ++split;
    auto group = cluster.group(builder, loc, dimensions);
    int64_t rows = shape[split] / group.size;
    std::vector<int64_t> second = zero;
    second[split] = rows;
    int64_t sliceBytes = layout.layout.at(second);
    if (shape[split] % group.size || rows == 0 ||
        sliceBytes % layout::alignmentBytes(layout) ||
        split + 1 == shape.size())
      return op.emitError("a multicast to ")
             << group.size << " CTAs splits this tile of " << shape[split]
             << " rows into as many slices of whole swizzle atoms (8 rows): "
                "make the rows a multiple of "
             << 8 * group.size;
    shape[split] = rows;
    address = a.add(address, a.mul(group.place, sliceBytes));
    size_t at = coordinates.size() - shape.size() + split;
    coordinates[at] = a.add(coordinates[at], a.mul(group.place, rows));
    mask = group.mask;
  }

  auto part = layout::partOfTile(layout, zero, shape, type.elementBytes());
  auto boxes = part ? layout::tmaBoxes(*part, shape, type.elementBytes())
                    : part.refusal();
  if (!boxes)
    return op.emitError("TMA cannot move this tile: ") << boxes.why();
  SmallVector<std::pair<SmallVector<Value>, Value>> places;
  for (const layout::TmaBox &box : *boxes)
    places.emplace_back(boxCoordinates(a, coordinates, box.offset),
                        a.add(address, layout.layout.at(box.offset)));
  Value map = tensorMap(tensor, boxes->front().box, swizzleBytes(layout));
  once(loc, [&] {
    hopper::MbarrierExpectOp::create(builder, loc, full, type.sizeBytes());
    for (auto &[at, to] : places)
      hopper::TmaLoadOp::create(builder, loc, map, at, to, full, mask,
                                op.getKeptAttr());
  });
  return success();
}

void KernelLowering::orderSharedAccess(Value shared, Operation &op) {
  bool written = false, read = false, copiedOut = false;
  for (Operation *user : accessesOf(shared)) {
    if (tile::roleOf(user) != role)
      continue;
    written |= isa<tile::WriteOp>(user);
    read |= !isa<tile::WriteOp, tile::CopyOp>(user);
    copiedOut |= isa<tile::CopyOutOp>(user);
  }
  if (!written || !read)
    return;
  if (auto write = dyn_cast<tile::WriteOp>(op); write && copiedOut)
    if (auto pending = storesSince(write))
      waitForStores(op.getLoc(), *pending);
  roleBarrier(op.getLoc());
}

void KernelLowering::lower(tile::ReadOp op) {
  orderSharedAccess(op.getSource(), *op);
  map.map(op.getResult(),
          hopper::SharedLoadOp::create(builder, named(*op, "load"),
                                       op.getResult().getType(),
                                       lookup(op.getSource())));
}

void KernelLowering::lower(tile::MmaOp op) {
  orderSharedAccess(op.getA(), *op);
  if (op.getA() != op.getB())
    orderSharedAccess(op.getB(), *op);
  map.map(op.getResult(),
          hopper::MmaOp::create(
              builder, named(*op, "mma"), op.getResult().getType(),
              lookup(op.getA()), lookup(op.getB()), lookup(op.getAccumulator()),
              /*overwrite=*/Value(), op.getTransposeA(), op.getTransposeB()));
}

} // namespace ashlar
