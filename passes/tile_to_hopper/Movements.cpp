#include "passes/tile_to_hopper/Movements.h"

#include "compiler/layout/SharedTile.h"
#include "compiler/target/Target.h"
#include "passes/Coordinates.h"
#include "passes/stages/Ring.h"

namespace ashlar {

using namespace mlir;
using layout::SwizzledLayout;

int64_t TmaTile::swizzleBytes() const {
  return layout.swizzle.bits ? layout::atomBytes(layout) : 0;
}

namespace {

/// The part of a shared tile that has this shape.
layout::Result<TmaTile> tmaTile(const SwizzledLayout &tile,
                                const std::vector<int64_t> &shape,
                                int64_t elementBytes) {
  auto part = layout::partOfTile(tile, std::vector<int64_t>(shape.size(), 0),
                                 shape, elementBytes);
  if (!part)
    return part.refusal();
  auto boxes = layout::tmaBoxes(*part, shape, elementBytes);
  if (!boxes)
    return boxes.refusal();
  return TmaTile{shape, *part, *boxes};
}

FailureOr<Multicast> multicastOf(tile::CopyOp op, const Cluster &cluster) {
  Multicast result;
  result.dimensions = cluster.sharedDimensions(op);
  if (result.dimensions.empty())
    return op.emitError("this copy is multicast, but each CTA of the cluster "
                        "wants another tile, or elsewhere: its coordinates, or "
                        "where it goes, depend on every dimension of the "
                        "cluster; leave multicast out");
  // This CTA fetches its slice of the first dimension that has more than one
  // element.
  ArrayRef<int64_t> shape = op.getTarget().getType().getShape();
  const SwizzledLayout &layout = *op.getTarget().getType().getLayout();
  result.split = 0;
  while (result.split + 1 < shape.size() && shape[result.split] == 1)
    ++result.split;
  const int64_t group = cluster.deltas(result.dimensions).size();
  const int64_t extent = shape[result.split];
  result.rows = extent / group;
  std::vector<int64_t> second(shape.size(), 0);
  second[result.split] = result.rows;
  result.bytes = layout.layout.at(second);
  const int64_t step = layout::areRowsApart(layout) ? 2 : 1;
  if (extent % group || result.rows == 0 ||
      result.bytes % layout::alignmentBytes(layout) ||
      result.split + 1 == shape.size())
    return op.emitError("a multicast to ")
           << group << " CTAs splits this tile of " << extent
           << " rows into as many slices of whole swizzle atoms (8 rows"
           << (step > 1 ? ", of the even and of the odd ones" : "")
           << "): make the rows a multiple of " << 8 * step * group;
  return result;
}

/// How threads move the rows of a shared tile, by loads or stores.
std::string ordinary(StringRef accesses, tile::SharedType type) {
  const bool wholeWords =
      type.getShape().back() * type.elementBytes() % 16 == 0;
  return "ordinary " + accesses.str() +
         (wholeWords ? ", 16 bytes at a time, shifted"
                     : ", element by element");
}

/// Tells the author which way a copy goes that TMA does not take, and why.
void remarkWay(tile::CopyOp copy) {
  auto tensor = copy.getSource().getDefiningOp<tile::TensorOp>();
  tile::SharedType type = copy.getTarget().getType();
  const int64_t elementBytes = type.elementBytes();
  const int64_t rowBytes = type.getShape().back() * elementBytes;
  InFlightDiagnostic remark = copy.emitRemark("this copy goes by ");
  if (engineOf(copy) == CopyEngine::cpAsync)
    remark << "cp.async, " << pieceBytes(copy) << " bytes at a time";
  else
    remark << ordinary("loads", type);
  remark << ", not by TMA: ";
  if (copy.getRows())
    remark << "its rows are chosen by indices";
  else if (tensor.getAlignment() < 16)
    remark << "tensor '" << tensor.getName() << "' is aligned to "
           << tensor.getAlignment() << " bytes; TMA needs 16";
  else if (rowBytes % target::tmaAlignment)
    remark << "the tile has a row of " << rowBytes
           << " bytes; TMA needs a multiple of 16";
  else
    remark
        << "its last coordinate is not known to be a multiple of "
        << 16 / elementBytes << " elements, the 16 bytes that TMA needs; "
        << "if it counts tiles, take tile() in place of at(), else promise it "
        << "with multiple_of(index, " << 16 / elementBytes << ")";
}

void remarkWay(tile::CopyOutOp copy) {
  auto tensor = copy.getTarget().getDefiningOp<tile::TensorOp>();
  copy.emitRemark("this copy goes by ")
      << (copy.getReduction() ? "atomic operations, element by element"
                              : ordinary("stores", copy.getSource().getType()))
      << ", not by TMA: tensor '" << tensor.getName() << "' is aligned to "
      << tensor.getAlignment() << " bytes; TMA needs 16";
}

FailureOr<CopyMovement> movementOf(tile::CopyOp op, const Cluster &cluster) {
  std::optional<Multicast> multicast;
  tile::SharedType type = op.getTarget().getType();
  std::vector<int64_t> shape = type.getShape().vec();
  if (op.getMulticast() && cluster.size() > 1) {
    auto slices = multicastOf(op, cluster);
    if (failed(slices))
      return failure();
    multicast = *slices;
    shape[multicast->split] = multicast->rows;
  }
  auto tile = tmaTile(*type.getLayout(), shape, type.elementBytes());
  if (!tile)
    return op.emitError("TMA cannot move this tile: ") << tile.why();
  return CopyMovement{*tile, multicast};
}

FailureOr<std::vector<layout::CommonPiece>> piecesOf(tile::CopyToPeerOp copy) {
  // One thread hands them over, one after another.
  constexpr size_t most = 64;
  tile::SharedType source = copy.getSource().getType();
  auto pieces = layout::commonPieces(*source.getLayout(),
                                     *copy.getTarget().getType().getLayout(),
                                     source.elementBytes());
  if (!pieces)
    return copy.emitError(pieces.why());
  if (pieces->size() > most)
    return copy.emitError(
               "the copy to a peer moves bytes as they lie, and what "
               "it copies lies in ")
           << pieces->size() << " pieces of what it copies to; " << most
           << " are the most: copy whole tiles, or parts as wide as their "
              "tiles, which have one shape, or store(target, load(source))";
  return *pieces;
}

/// Copies move tiles that have their columns in order.
LogicalResult checkColumns(Operation *copy, tile::SharedType tile) {
  if (!layout::hasInterleavedColumns(*tile.getLayout()))
    return success();
  return copy->emitError("this copies a tile that has its columns interleaved, "
                         "which load and store alone reach: use the tile as it "
                         "is");
}

FailureOr<CopyOutMovement> movementOf(tile::CopyOutOp op) {
  tile::SharedType type = op.getSource().getType();
  if (failed(checkColumns(op, type)))
    return failure();
  if (layout::areRowsApart(*type.getLayout()))
    return op.emitError(
        "this copies a tile that has its even rows first, which is "
        "only for what is copied to: store(tensor, load(tile))");
  std::vector<int64_t> shape = type.getShape().vec();
  std::optional<layout::WarpRows> rows;
  if (auto fragment = op.getByWarps()) {
    rows = layout::warpRows(fragment->getLayout());
    if (!rows || shape.size() != 2)
      return op.emitError("is to be stored by warps, of a fragment whose rows "
                          "are not each a warp's own");
    shape[0] = rows->count;
  }
  if (!isByTma(op)) {
    remarkWay(op);
    auto part = layout::partOfTile(*type.getLayout(),
                                   std::vector<int64_t>(shape.size()), shape,
                                   type.elementBytes());
    if (!part)
      return op.emitError("threads cannot store this tile: ") << part.why();
    return CopyOutMovement{{shape, *part, {}}, rows};
  }
  auto tile = tmaTile(*type.getLayout(), shape, type.elementBytes());
  if (!tile)
    return op.emitError("TMA cannot move this tile: ") << tile.why();
  return CopyOutMovement{*tile, rows};
}

FailureOr<TmaTile> movementOf(tile::PrefetchOp op) {
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  if (tensor.getAlignment() < 16)
    return op.emitError("tensor '")
           << tensor.getName() << "' is aligned to " << tensor.getAlignment()
           << " bytes; a prefetch is TMA and needs 16: leave it out, or "
              "declare align(16)";
  std::vector<int64_t> shape = op.getShape().vec();
  const int64_t elementBytes =
      tile::elementBytes(op.getSource().getType().getElementType());
  auto layout = layout::sharedTileLayout(shape, elementBytes);
  auto boxes = layout ? layout::tmaBoxes(*layout, shape, elementBytes)
                      : layout.refusal();
  if (!boxes)
    return op.emitError("TMA cannot prefetch this tile: ") << boxes.why();
  return TmaTile{shape, *layout, *boxes};
}

} // namespace

FailureOr<Movements> Movements::of(tile::KernelOp kernel,
                                   const Cluster &cluster) {
  Movements result;
  auto note = [&](auto op, auto movement, auto &movements) -> WalkResult {
    if (failed(movement))
      return failure();
    movements.try_emplace(op, *movement);
    return success();
  };
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto out = dyn_cast<tile::CopyOutOp>(op))
      return note(out, movementOf(out), result.copiesOut);
    if (auto toPeer = dyn_cast<tile::CopyToPeerOp>(op))
      return failed(checkColumns(toPeer, toPeer.getSource().getType())) ||
                     failed(checkColumns(toPeer, toPeer.getTarget().getType()))
                 ? failure()
                 : note(toPeer, piecesOf(toPeer), result.copiesToPeers);
    if (auto prefetch = dyn_cast<tile::PrefetchOp>(op))
      return note(prefetch, movementOf(prefetch), result.prefetches);
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (!copy)
      return success();
    if (failed(checkColumns(copy, copy.getTarget().getType())))
      return failure();
    if (copy.getMulticast() && !kernel.getCluster())
      return copy.emitError("this copy is multicast, and kernel '")
             << kernel.getSymName()
             << "' has no cluster: call cluster({...}) before the roles";
    if (engineOf(copy) == CopyEngine::tma)
      return note(copy, movementOf(copy, cluster), result.copies);
    if (layout::areRowsApart(*copy.getTarget().getType().getLayout()))
      return copy.emitError(
          "this copy does not go by TMA, which alone has even rows "
          "first: use the tile as it is");
    remarkWay(copy);
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  return result;
}

const CopyMovement *Movements::of(tile::CopyOp copy) const {
  auto found = copies.find(copy);
  return found == copies.end() ? nullptr : &found->second;
}

} // namespace ashlar
