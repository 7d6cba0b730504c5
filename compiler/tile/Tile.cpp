#include "compiler/tile/Tile.h"
#include "compiler/tile/Stages.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "compiler/tile/TileDialect.cpp.inc"
#include "compiler/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/tile/TileAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/tile/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/tile/TileOps.cpp.inc"

namespace ashlar::tile {

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/tile/TileOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/tile/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/tile/TileAttributes.cpp.inc"
      >();
}

void TakeOp::forEachTile(
    llvm::function_ref<void(Value source, ValueRange coordinates, Value tile)>
        body) {
  ValueRange left = getCoordinates();
  for (auto [source, tile] : llvm::zip(getSources(), getResults())) {
    const int64_t rank = cast<TensorType>(source.getType()).getRank();
    body(source, left.take_front(rank), tile);
    left = left.drop_front(rank);
  }
}

int64_t SharedType::elementBytes() {
  return tile::elementBytes(getElementType());
}

int64_t SharedType::sizeBytes() {
  int64_t bytes = elementBytes();
  for (int64_t extent : getShape())
    bytes *= extent;
  return bytes;
}

TypedValue<PipelineType> pipelineOf(Value stage) {
  Operation *taker = takerOf(stage);
  return taker ? cast<TypedValue<PipelineType>>(taker->getOperand(0))
               : TypedValue<PipelineType>();
}

Value memoryOf(Value shared) {
  Operation *op = shared.getDefiningOp();
  return isa_and_present<PartOp, ViewOp, PeerOp>(op)
             ? memoryOf(op->getOperand(0))
             : shared;
}

PeerOp peerOf(Value shared) {
  Operation *op = shared.getDefiningOp();
  if (isa_and_present<PartOp, ViewOp>(op))
    return peerOf(op->getOperand(0));
  return dyn_cast_if_present<PeerOp>(op);
}

BufferOp bufferOf(Value shared) {
  return memoryOf(shared).getDefiningOp<BufferOp>();
}

RoleOp roleOf(Operation *op) { return op->getParentOfType<RoleOp>(); }

} // namespace ashlar::tile
