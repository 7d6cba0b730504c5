// What moves between tensors, shared tiles and fragments requires, in the
// author's words.

#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::tile {

LogicalResult checkCoordinates(Operation *op, TensorType tensor,
                               OperandRange coordinates) {
  if (static_cast<int64_t>(coordinates.size()) == tensor.getRank())
    return success();
  return op->emitOpError("gives ")
         << coordinates.size() << " coordinates to a tensor of rank "
         << tensor.getRank();
}

namespace {

/// What a kernel only reads it must not write, and the reverse.
LogicalResult checkAccess(Operation *op, Value tensor, bool writes) {
  auto declaration = tensor.getDefiningOp<TensorOp>();
  if (!declaration)
    return success();
  Access wrong = writes ? Access::input : Access::output;
  if (declaration.getAccess() != wrong)
    return success();
  return op->emitOpError(writes ? "writes" : "reads")
         << " tensor '" << declaration.getName() << "', which is declared as "
         << stringifyAccess(wrong) << ": declare it as "
         << (writes ? "output or inout" : "input or inout");
}

LogicalResult checkTileOfTensor(Operation *op, TensorType tensor,
                                ArrayRef<int64_t> shape, Type element) {
  if (static_cast<int64_t>(shape.size()) > tensor.getRank())
    return op->emitOpError("moves a tile of ")
           << shape.size() << " dimensions in a tensor of rank "
           << tensor.getRank();
  if (element != tensor.getElementType())
    return op->emitOpError("moves ")
           << element << " in a tensor of " << tensor.getElementType()
           << ": convert the fragment first, or declare both with one type";
  return success();
}

/// A tensor that may be accessed so, at as many coordinates as it has
/// dimensions.
LogicalResult checkTensor(Operation *op, Value tensor, OperandRange coordinates,
                          bool writes) {
  if (failed(checkAccess(op, tensor, writes)))
    return failure();
  return checkCoordinates(op, cast<TensorType>(tensor.getType()), coordinates);
}

/// The tensor that chooses the rows of a tile of this rank, if there is one.
template <typename Op> LogicalResult checkRows(Op op, int64_t rank) {
  if (!op.getRows())
    return success();
  if (rank < 2)
    return op.emitOpError("chooses rows of a tile of ")
           << rank << " dimensions";
  Type element = op.getRows().getType().getElementType();
  if (!element.isInteger(32))
    return op.emitOpError("chooses rows by ")
           << elementName(element) << "; indices are s32";
  return checkTensor(op, op.getRows(), op.getRowCoordinates(), false);
}

} // namespace

LogicalResult checkTransposed(Operation *op, int64_t rank, bool transposed) {
  if (!transposed || rank == 2)
    return success();
  return op->emitOpError("transposes a tile of ")
         << rank << " dimensions; only a matrix has two to exchange";
}

LogicalResult checkSharedFragment(Operation *op, SharedType shared,
                                  RankedTensorType fragment, bool transposed) {
  SmallVector<int64_t> shape(shared.getShape());
  if (failed(checkTransposed(op, shape.size(), transposed)))
    return failure();
  if (transposed)
    std::swap(shape[0], shape[1]);
  if (ArrayRef(shape) != fragment.getShape())
    return op->emitOpError("moves a fragment of ")
           << dimensions(fragment.getShape()) << " and a shared tile of "
           << dimensions(shape) << ": the shapes must agree";
  if (registerType(shared.getElementType()) !=
      registerType(fragment.getElementType()))
    return op->emitOpError("moves a fragment of ")
           << fragment.getElementType() << " and a shared tile of "
           << shared.getElementType() << ": convert the fragment first";
  return success();
}

LogicalResult CopyOp::verify() {
  if (failed(checkTensor(*this, getSource(), getCoordinates(), false)) ||
      failed(checkRows(*this, getTarget().getType().getShape().size())))
    return failure();
  if (getRows() && getMulticast())
    return emitOpError("chooses rows and is multicast; a multicast is TMA, "
                       "which takes rows as they lie");
  if (!bufferOf(getTarget()))
    return emitOpError("writes a shared tile outside a pipeline; an "
                       "asynchronous copy completes on a stage");
  return checkTileOfTensor(*this, getSource().getType(),
                           getTarget().getType().getShape(),
                           getTarget().getType().getElementType());
}

LogicalResult CopyOutOp::verify() {
  if (failed(checkTensor(*this, getTarget(), getCoordinates(), true)))
    return failure();
  // PTX ISA, "cp.reduce.async.bulk.tensor".
  Type element = getTarget().getType().getElementType();
  bool any = element.isInteger(32) || element.isF16() || element.isBF16();
  bool adds = getReduction() && *getReduction() == Reduction::add;
  if (getReduction() && !any && !(adds && element.isF32()))
    return emitOpError("reduces ")
           << elementName(element) << " with "
           << stringifyReduction(*getReduction())
           << "; TMA reduces s32, f16 and bf16, and adds f32";
  ArrayRef<int64_t> shape = getSource().getType().getShape();
  if (auto rows = getByWarps(); rows && rows->getLayout().shape[0] != shape[0])
    return emitOpError("stores a tile of ")
           << dimensions(shape) << " by warps, with the rows of a fragment of "
           << dimensions(rows->getLayout().shape);
  return checkTileOfTensor(*this, getTarget().getType(),
                           getSource().getType().getShape(),
                           getSource().getType().getElementType());
}

LogicalResult CopyToPeerOp::verify() {
  SharedType source = getSource().getType(), target = getTarget().getType();
  if (peerOf(getSource()) || !peerOf(getTarget()))
    return emitOpError("copies from ")
           << (peerOf(getSource()) ? "a peer's tile" : "a tile of this CTA")
           << " to " << (peerOf(getTarget()) ? "a peer's" : "one of its own")
           << "; it sends a tile of this CTA to a peer";
  if (source.getShape() != target.getShape() ||
      source.getElementType() != target.getElementType())
    return emitOpError("copies ") << dimensions(source.getShape()) << " "
                                  << elementName(source.getElementType())
                                  << " to " << dimensions(target.getShape())
                                  << " " << elementName(target.getElementType())
                                  << "; the two tiles are alike";
  return success();
}

LogicalResult ReadOp::verify() {
  return checkSharedFragment(*this, getSource().getType(),
                             cast<RankedTensorType>(getResult().getType()),
                             getTransposed());
}

LogicalResult WriteOp::verify() {
  return checkSharedFragment(*this, getTarget().getType(),
                             cast<RankedTensorType>(getValue().getType()),
                             getTransposed());
}

LogicalResult LoadOp::verify() {
  if (failed(checkTensor(*this, getSource(), getCoordinates(), false)) ||
      failed(checkTransposed(
          *this, cast<RankedTensorType>(getResult().getType()).getRank(),
          getTransposed())) ||
      failed(checkRows(
          *this, cast<RankedTensorType>(getResult().getType()).getRank())))
    return failure();
  auto fragment = cast<RankedTensorType>(getResult().getType());
  Type element = getSource().getType().getElementType();
  if (registerType(element) == fragment.getElementType())
    element = fragment.getElementType();
  auto source =
      TensorType::get(getContext(), element, getSource().getType().getRank());
  return checkTileOfTensor(*this, source, fragment.getShape(),
                           fragment.getElementType());
}

LogicalResult TakeOp::verify() {
  if (getSources().size() != getResults().size())
    return emitOpError("gives ") << getResults().size() << " fragments of "
                                 << getSources().size() << " tiles";
  OperandRange left = getCoordinates();
  for (auto [source, result] : llvm::zip(getSources(), getResults())) {
    auto tensor = cast<TensorType>(source.getType());
    auto fragment = cast<RankedTensorType>(result.getType());
    const size_t rank = std::min<size_t>(tensor.getRank(), left.size());
    if (failed(checkTensor(*this, source, left.take_front(rank), false)) ||
        failed(checkTensor(*this, source, left.take_front(rank), true)) ||
        failed(checkTileOfTensor(*this, tensor, fragment.getShape(),
                                 fragment.getElementType())))
      return failure();
    if (!fragment.getElementType().isF32())
      return emitOpError("takes ")
             << elementName(fragment.getElementType()) << "; it takes f32";
    left = left.drop_front(rank);
  }
  if (left.empty())
    return success();
  return emitOpError("gives ") << left.size() << " coordinates too many";
}

LogicalResult StoreOp::verify() {
  if (failed(checkTensor(*this, getTarget(), getCoordinates(), true)) ||
      failed(checkTransposed(
          *this, cast<RankedTensorType>(getValue().getType()).getRank(),
          getTransposed())) ||
      failed(checkRows(*this,
                       cast<RankedTensorType>(getValue().getType()).getRank())))
    return failure();
  auto fragment = cast<RankedTensorType>(getValue().getType());
  Type element = getTarget().getType().getElementType();
  if (registerType(element) == fragment.getElementType())
    element = fragment.getElementType();
  auto target =
      TensorType::get(getContext(), element, getTarget().getType().getRank());
  return checkTileOfTensor(*this, target, fragment.getShape(),
                           fragment.getElementType());
}

LogicalResult ReduceIntoOp::verify() {
  if (failed(checkTensor(*this, getTarget(), getCoordinates(), true)))
    return failure();
  auto type = cast<RankedTensorType>(getValue().getType());
  Type element = type.getElementType();
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("combines ")
           << elementName(element)
           << "; atomic reductions are of f32 and s32: convert the fragment";
  return checkTileOfTensor(*this, getTarget().getType(), {}, element);
}

LogicalResult checkElements(Operation *op, Type memory, int64_t rank,
                            RankedTensorType value, ValueRange coordinates,
                            std::optional<Reduction> reduction) {
  if (static_cast<int64_t>(coordinates.size()) != rank)
    return op->emitOpError("gives ")
           << coordinates.size() << " coordinates in memory of " << rank
           << " dimensions";
  for (Value coordinate : coordinates) {
    auto type = cast<RankedTensorType>(coordinate.getType());
    if (type.getShape() != value.getShape())
      return op->emitOpError("moves a fragment of ")
             << dimensions(value.getShape()) << " with coordinates of "
             << dimensions(type.getShape());
  }
  Type element = value.getElementType();
  if (memory && registerType(memory) != element)
    return op->emitOpError("moves ")
           << elementName(element) << " in memory of " << elementName(memory);
  const bool adds = reduction == Reduction::add;
  if (reduction && !element.isInteger(32) && !(adds && element.isF32()))
    return op->emitOpError("combines ")
           << elementName(element) << " with memory by "
           << stringifyReduction(*reduction)
           << "; single elements are combined of s32, and added of f32";
  return success();
}

namespace {

/// The element type and the rank of a tensor or a shared tile.
std::pair<Type, int64_t> memoryOfElements(Value memory) {
  if (auto shared = dyn_cast<SharedType>(memory.getType()))
    return {shared.getElementType(), int64_t(shared.getShape().size())};
  auto tensor = cast<TensorType>(memory.getType());
  return {tensor.getElementType(), tensor.getRank()};
}

} // namespace

LogicalResult GatherOp::verify() {
  auto [element, rank] = memoryOfElements(getSource());
  if (failed(checkAccess(*this, getSource(), false)))
    return failure();
  return checkElements(*this, element, rank,
                       cast<RankedTensorType>(getResult().getType()),
                       getCoordinates(), std::nullopt);
}

LogicalResult ScatterOp::verify() {
  auto [element, rank] = memoryOfElements(getTarget());
  if (failed(checkAccess(*this, getTarget(), true)))
    return failure();
  if (isa<SharedType>(getTarget().getType()) && bufferOf(getTarget()))
    return emitOpError("writes single elements of a stage; a stage is written "
                       "as a whole: store the fragment");
  return checkElements(*this, element, rank,
                       cast<RankedTensorType>(getValue().getType()),
                       getCoordinates(), getReduction());
}

LogicalResult ValueOp::verify() {
  if (failed(checkTensor(*this, getSource(), getCoordinates(), false)))
    return failure();
  Type element = getSource().getType().getElementType();
  if (registerType(element) == getResult().getType())
    return success();
  return emitOpError("reads ")
         << elementName(element) << " as " << getResult().getType();
}

LogicalResult SharedValueOp::verify() {
  return checkSharedValue(*this, getSource().getType(), getCoordinates().size(),
                          getResult().getType());
}

LogicalResult checkSharedValue(Operation *op, SharedType tile,
                               size_t coordinates, Type result) {
  if (coordinates != tile.getShape().size())
    return op->emitOpError("gives ")
           << coordinates << " coordinates of a shared tile of "
           << dimensions(tile.getShape());
  if (registerType(tile.getElementType()) != result)
    return op->emitOpError("reads ")
           << elementName(tile.getElementType()) << " as " << result;
  return success();
}

LogicalResult checkAtomic(Operation *op, Atomic kind, Type value, Type compared,
                          Type result) {
  if (bool(compared) != (kind == Atomic::compare_swap))
    return op->emitOpError(compared
                               ? "compares memory, and only compare_swap does"
                               : "compares memory with nothing");
  if ((compared && compared != value) || result != value)
    return op->emitOpError("has numbers of several types");
  if (value.isF32() && kind != Atomic::add && kind != Atomic::exchange)
    return op->emitOpError("combines f32 by ")
           << stringifyAtomic(kind)
           << "; of f32 there are add and exchange: use s32";
  return success();
}

LogicalResult AtomicOp::verify() {
  if (failed(checkTensor(*this, getTarget(), getCoordinates(), true)))
    return failure();
  Type compared = getCompared() ? getCompared().getType() : Type();
  if (failed(checkAtomic(*this, getKind(), getValue().getType(), compared,
                         getResult().getType())))
    return failure();
  return checkTileOfTensor(*this, getTarget().getType(), {},
                           getValue().getType());
}

LogicalResult InsideOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isInteger(1))
    return emitOpError("gives ") << type << ", not truth values";
  if (type.getRank() > getTensor().getType().getRank())
    return emitOpError("has a tile of ")
           << type.getRank() << " dimensions in a tensor of rank "
           << getTensor().getType().getRank();
  if (failed(checkTransposed(*this, type.getRank(), getTransposed())))
    return failure();
  return checkCoordinates(*this, getTensor().getType(), getCoordinates());
}

LogicalResult PrefetchOp::verify() {
  if (failed(checkTensor(*this, getSource(), getCoordinates(), false)))
    return failure();
  return checkTileOfTensor(*this, getSource().getType(), getShape(),
                           getSource().getType().getElementType());
}

} // namespace ashlar::tile
