#include "passes/FragmentAccesses.h"

#include "compiler/layout/SharedTile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

namespace ashlar {

using namespace mlir;

FragmentMovement FragmentAccesses::movementOf(Value value) {
  FragmentMovement result;
  auto note = [&](auto access, Value fragment, tile::SharedType memory) {
    if (areAlike(fragment, value) && access.getTransposed())
      result.transposedBytes = std::max<int64_t>(
          result.transposedBytes, tile::elementBytes(memory.getElementType()));
  };
  role.walk([&](Operation *op) {
    if (auto read = dyn_cast<tile::ReadOp>(op))
      note(read, read.getResult(), read.getSource().getType());
    else if (auto write = dyn_cast<tile::WriteOp>(op))
      note(write, write.getValue(), write.getTarget().getType());
    else if (auto load = dyn_cast<tile::LoadOp>(op))
      result.global |= areAlike(load.getResult(), value);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      result.global |= areAlike(store.getValue(), value);
    else if (auto take = dyn_cast<tile::TakeOp>(op))
      for (Value tile : take.getResults())
        result.global |= areAlike(tile, value);
  });
  return result;
}

int64_t FragmentAccesses::movedBytes(Value value) {
  Value moved = value;
  int deepest = -1;
  auto note = [&](Operation *op, Value other) {
    if (!areAlike(other, value))
      return;
    int depth = 0;
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      ++depth;
    // Threads hold whole runs of these.
    auto write = dyn_cast<tile::WriteOp>(op);
    if (write &&
        layout::hasInterleavedColumns(*write.getTarget().getType().getLayout()))
      depth = std::numeric_limits<int>::max();
    if (depth > deepest) {
      moved = other;
      deepest = depth;
    }
  };
  role.walk([&](Operation *op) {
    if (isa<tile::LoadOp, tile::ReadOp, tile::TakeOp>(op))
      for (Value result : op->getResults())
        note(op, result);
    else if (isa<tile::StoreOp, tile::WriteOp>(op))
      note(op, op->getOperand(0));
  });
  return tile::elementBytes(
      cast<RankedTensorType>(moved.getType()).getElementType());
}

bool FragmentAccesses::areColumnsOfA(tile::MmaOp mma) {
  if (!isa<RankedTensorType>(mma.getA().getType()) || mma.getMetadata() ||
      tile::elementBytes(mma.product().elementA()) != 1)
    return false;
  bool found = false;
  role.walk([&](tile::ReadOp read) {
    found |= read.getTransposed() &&
             read.getSource().getType().elementBytes() == 1 &&
             areAlike(read.getResult(), mma.getA());
  });
  return found;
}

} // namespace ashlar
