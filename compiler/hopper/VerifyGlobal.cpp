// What operations on global memory require.

#include "compiler/hopper/Verify.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace ashlar::hopper {

namespace {

/// A tile of the last `rank` dimensions of a tensor that has a coordinate,
/// and each of the others, for each of its dimensions.
LogicalResult checkTensor(Operation *op, int64_t rank, size_t coordinates,
                          std::initializer_list<size_t> others) {
  if (failed(demandRole(op)))
    return failure();
  for (size_t other : others)
    if (other != coordinates)
      return op->emitOpError("gives ")
             << coordinates << " coordinates and " << other
             << " extents or strides; a tensor has one of each for each "
                "dimension";
  if (coordinates < 1 || coordinates > size_t(target::tmaDimensions) ||
      rank > int64_t(coordinates))
    return op->emitOpError("moves a tile of ")
           << rank << " dimensions in a tensor of " << coordinates;
  return success();
}

LogicalResult checkAlignment(Operation *op, uint64_t alignment) {
  if (llvm::isPowerOf2_64(alignment) && alignment <= 128)
    return success();
  return op->emitOpError("is aligned to ")
         << int64_t(alignment)
         << " bytes; an alignment is a power of two up to " << 128;
}

LogicalResult checkTile(Operation *op, tile::SharedType type) {
  if (type.getLayout())
    return success();
  return op->emitOpError("uses a shared tile that has no layout");
}

/// A box of the map, where it is known which.
LogicalResult checkBox(Operation *op, Value map, size_t coordinates) {
  auto parameter = map.getDefiningOp<TensorMapOp>();
  size_t rank = parameter ? parameter.getBox().size() : coordinates;
  if (coordinates == rank && rank >= 1 && rank <= size_t(target::tmaDimensions))
    return success();
  return op->emitOpError("gives ")
         << coordinates << " coordinates of a box of " << rank << " dimensions";
}

} // namespace

LogicalResult TmaLoadOp::verify() {
  return checkBox(*this, getMap(), getCoordinates().size());
}

LogicalResult TmaStoreOp::verify() {
  return checkBox(*this, getMap(), getCoordinates().size());
}

LogicalResult TmaPrefetchOp::verify() {
  return checkBox(*this, getMap(), getCoordinates().size());
}

LogicalResult BulkWaitOp::verify() {
  if (int64_t(getPending()) < 0)
    return emitOpError("leaves ")
           << int64_t(getPending()) << " groups unfinished; at least 0";
  return success();
}

/// Rows that a tensor chooses, of a tile of this rank, if it does.
template <typename Op> static LogicalResult checkRows(Op op, int64_t rank) {
  if (!op.getRows())
    return success();
  if (rank < 2)
    return op.emitOpError("chooses rows of a tile of ")
           << rank << " dimensions";
  return checkTensor(op, 1, op.getRowCoordinates().size(),
                     {op.getRowExtents().size(), op.getRowStrides().size()});
}

LogicalResult CopyTileOp::verify() {
  tile::SharedType type = getTarget().getType();
  if (failed(checkRows(*this, type.getShape().size())))
    return failure();
  if (failed(checkTile(*this, type)) ||
      failed(checkTensor(*this, type.getShape().size(), getCoordinates().size(),
                         {getExtents().size(), getStrides().size()})) ||
      failed(checkAlignment(*this, getAlignment())))
    return failure();
  // cp.async moves 4, 8 or 16 bytes of a row, ordinary loads an element.
  int64_t alignment = getAlignment(), rowBytes = type.elementBytes();
  if (!type.getShape().empty())
    rowBytes *= type.getShape().back();
  if (alignment < type.elementBytes() || alignment > target::tmaAlignment ||
      rowBytes % alignment)
    return emitOpError("copies rows of ")
           << rowBytes << " bytes in pieces of " << alignment
           << "; a piece is an element to 16 bytes and divides the row";
  return success();
}

LogicalResult CopyTileOutOp::verify() {
  tile::SharedType type = getSource().getType();
  if (failed(checkTile(*this, type)))
    return failure();
  return checkTensor(*this, type.getShape().size(), getCoordinates().size(),
                     {getExtents().size(), getStrides().size()});
}

LogicalResult LoadOp::verify() {
  int64_t rank = cast<RankedTensorType>(getResult().getType()).getRank();
  if (failed(checkTensor(*this, rank, getCoordinates().size(),
                         {getExtents().size(), getStrides().size()})) ||
      failed(checkRows(*this, rank)) ||
      failed(tile::checkTransposed(*this, rank, getTransposed())))
    return failure();
  return checkAlignment(*this, getAlignment());
}

LogicalResult StoreOp::verify() {
  int64_t rank = cast<RankedTensorType>(getValue().getType()).getRank();
  if (failed(checkTensor(*this, rank, getCoordinates().size(),
                         {getExtents().size(), getStrides().size()})) ||
      failed(checkRows(*this, rank)) ||
      failed(tile::checkTransposed(*this, rank, getTransposed())))
    return failure();
  return checkAlignment(*this, getAlignment());
}

LogicalResult TakeOp::verify() {
  const size_t count = getPointers().size();
  if (getResults().size() != count || getRanks().size() != count ||
      getAlignments().size() != count)
    return emitOpError("has ")
           << count << " tiles, " << getResults().size() << " results, "
           << getRanks().size() << " ranks and " << getAlignments().size()
           << " alignments; there is one of each for each tile";
  size_t coordinates = 0;
  for (auto [result, rank, alignment] :
       llvm::zip(getResults(), getRanks(), getAlignments())) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!type.getElementType().isF32())
      return emitOpError("takes ")
             << tile::elementName(type.getElementType()) << "; it takes f32";
    if (failed(checkTensor(*this, type.getRank(), rank, {})) ||
        failed(checkAlignment(*this, alignment)))
      return failure();
    coordinates += rank;
  }
  for (size_t other :
       {getCoordinates().size(), getExtents().size(), getStrides().size()})
    if (other != coordinates)
      return emitOpError("has ")
             << other << " coordinates, extents or strides of tiles in tensors "
             << "of " << coordinates << " dimensions in all";
  return success();
}

LogicalResult ReduceIntoOp::verify() {
  Type element = cast<RankedTensorType>(getValue().getType()).getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("combines ") << tile::elementName(element)
                                    << "; atomic reductions are of f32 and s32";
  return checkTensor(*this, 0, getCoordinates().size(),
                     {getExtents().size(), getStrides().size()});
}

LogicalResult InsideOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isInteger(1))
    return emitOpError("gives ") << type << ", not truth values";
  if (failed(tile::checkTransposed(*this, type.getRank(), getTransposed())))
    return failure();
  return checkTensor(*this, type.getRank(), getCoordinates().size(),
                     {getExtents().size()});
}

/// Elements of a tile with a layout, or of global memory with its extents.
template <typename Op>
static LogicalResult checkElementsOf(Op op, Value memory, Value value,
                                     std::optional<tile::Reduction> reduction) {
  if (failed(demandRole(op)))
    return failure();
  int64_t rank = op.getExtents().size();
  Type element;
  if (auto shared = dyn_cast<tile::SharedType>(memory.getType())) {
    if (!op.getExtents().empty() || !op.getStrides().empty())
      return op.emitOpError("has extents or strides of a shared tile");
    if (failed(checkTile(op, shared)))
      return failure();
    rank = shared.getShape().size();
    element = shared.getElementType();
  } else if (op.getStrides().size() != op.getExtents().size()) {
    return op.emitOpError("has ") << op.getExtents().size() << " extents and "
                                  << op.getStrides().size() << " strides";
  }
  return tile::checkElements(op, element, rank,
                             cast<RankedTensorType>(value.getType()),
                             op.getCoordinates(), reduction);
}

LogicalResult GatherOp::verify() {
  return checkElementsOf(*this, getSource(), getResult(), std::nullopt);
}

LogicalResult ScatterOp::verify() {
  return checkElementsOf(*this, getTarget(), getValue(), getReduction());
}

LogicalResult ValueOp::verify() {
  return checkTensor(*this, 0, getCoordinates().size(),
                     {getExtents().size(), getStrides().size()});
}

LogicalResult AtomicOp::verify() {
  Type compared = getCompared() ? getCompared().getType() : Type();
  if (failed(tile::checkAtomic(*this, getKind(), getValue().getType(), compared,
                               getResult().getType())))
    return failure();
  return checkTensor(*this, 0, getCoordinates().size(),
                     {getExtents().size(), getStrides().size()});
}

LogicalResult SignalOp::verify() {
  return checkTensor(*this, 0, getCoordinates().size(), {getStrides().size()});
}

LogicalResult AwaitOp::verify() {
  return checkTensor(*this, 0, getCoordinates().size(), {getStrides().size()});
}

} // namespace ashlar::hopper
