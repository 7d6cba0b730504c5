#include "passes/stages/Writes.h"

#include "passes/SharedMemory.h"

#include <utility>

namespace ashlar {

using namespace mlir;

namespace {

/// Whether one of two operations is executed wherever the other one's block is.
bool areOnOnePath(Operation *a, Operation *b) {
  return a->getBlock()->findAncestorOpInBlock(*b) ||
         b->getBlock()->findAncestorOpInBlock(*a);
}

/// What writes into the stage that a copy writes into, by elements of the same
/// tile: null for what writes none.
Value writtenBeside(tile::CopyOp copy, Operation *other) {
  Value written = writtenTile(other);
  if (other == copy || !written || !isa<tile::SharedType>(written.getType()))
    return {};
  auto buffer = tile::bufferOf(written);
  const bool isOfStage =
      buffer &&
      buffer.getStage() == tile::bufferOf(copy.getTarget()).getStage();
  return isOfStage ? written : Value();
}

} // namespace

LogicalResult checkWrites(tile::KernelOp kernel) {
  llvm::DenseMap<Operation *, size_t> order; // of the text
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order.try_emplace(op, order.size()); });
  bool failed = false;
  auto check = [&](tile::CopyOp copy, Operation *other) {
    Value written = writtenBeside(copy, other);
    if (!written || !surelyOverlap(copy.getTarget(), written) ||
        !areOnOnePath(copy, other))
      return;
    Operation *first = copy, *second = other;
    if (order[first] > order[second]) {
      if (isa<tile::CopyOp>(other))
        return; // told of the other one
      std::swap(first, second);
    }
    InFlightDiagnostic error =
        second->emitError("this writes elements of tile ")
        << tile::bufferOf(written).getIndex()
        << " of a stage that are written before it, and a copy comes in any "
           "order with what else is written until the stage is full: write "
           "each element once, or wait for the stage and store to it then";
    error.attachNote(first->getLoc()) << "written here";
    failed = true;
  };
  kernel.walk([&](tile::CopyOp copy) {
    if (tile::bufferOf(copy.getTarget()))
      for (Operation *other : accessesOf(copy.getTarget()))
        check(copy, other);
  });
  return success(!failed);
}

} // namespace ashlar
