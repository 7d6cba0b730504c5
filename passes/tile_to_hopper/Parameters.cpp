// The kernel's ABI: sizes, scalars, and what each tensor is reached through.

#include "compiler/layout/SharedTile.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

LogicalResult KernelLowering::lowerParameters() {
  for (auto size : source.getBody().getOps<tile::SizeOp>())
    map.map(size.getResult(),
            hopper::SizeOp::create(builder, size.getLoc(), size.getName()));
  for (auto scalar : source.getBody().getOps<tile::ScalarOp>())
    map.map(scalar.getResult(),
            hopper::ScalarOp::create(builder, scalar.getLoc(),
                                     scalar.getResult().getType(),
                                     scalar.getName()));

  for (auto tensor : source.getBody().getOps<tile::TensorOp>()) {
    bool byAddress = false;
    for (Operation *user : tensor.getResult().getUsers()) {
      if (auto copy = dyn_cast<tile::CopyOp>(user)) {
        if (engineOf(copy) != CopyEngine::tma)
          byAddress = true;
      } else if (auto out = dyn_cast<tile::CopyOutOp>(user)) {
        if (tensor.getAlignment() < 16)
          return out.emitError("tensor '")
                 << tensor.getName() << "' is aligned to "
                 << tensor.getAlignment()
                 << " bytes; a copy from shared to global is TMA and needs 16: "
                    "store the fragment instead, or declare align(16)";
        // At the end of a row that TMA would write past.
        byAddress = true;
      } else {
        byAddress |= !isa<tile::PrefetchOp, tile::InsideOp>(user);
      }
    }
    if (!byAddress)
      continue;
    GlobalTensor &global = globals[tensor.getResult()];
    Location loc = tensor.getLoc();
    global.pointer = hopper::PointerOp::create(builder, loc, tensor.getName());
    int64_t rank = tensor.getResult().getType().getRank();
    for (int64_t dimension = 0; dimension + 1 < rank; ++dimension)
      global.strides.push_back(
          hopper::StrideOp::create(builder, loc, tensor.getName(), dimension));
    global.strides.push_back(arith::ConstantIntOp::create(builder, loc, 1, 64));
  }
  if (Block &block = target.getBody().front(); !block.empty())
    lastParameter = &block.back();
  // What the kernel computes before its roles: sizes, mostly.
  for (Operation &op : source.getBody().front())
    if (isa<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
        isa<tile::MultipleOfOp>(op))
      if (failed(lowerOp(op)))
        return failure();
  for (auto tensor : source.getBody().getOps<tile::TensorOp>())
    if (auto it = globals.find(tensor.getResult()); it != globals.end())
      it->second.extents = lookup(tensor.getExtents());
  return success();
}

Value KernelLowering::tensorMap(tile::TensorOp tensor,
                                ArrayRef<int64_t> tileBox, int64_t swizzle) {
  int64_t rank = tensor.getResult().getType().getRank();
  MapKey key{tensor, std::vector<int64_t>(rank - tileBox.size(), 1), swizzle};
  key.box.insert(key.box.end(), tileBox.begin(), tileBox.end());
  Value &slot = tensorMaps[key];
  if (!slot) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastParameter)
      builder.setInsertionPointAfter(lastParameter);
    else
      builder.setInsertionPointToStart(&target.getBody().front());
    slot = hopper::TensorMapOp::create(builder, tensor.getLoc(),
                                       tensor.getName(), key.box, swizzle);
    lastParameter = slot.getDefiningOp();
  }
  return slot;
}

KernelLowering::GlobalTensor KernelLowering::globalTensor(Value tensor) {
  return globals.lookup(tensor);
}

} // namespace ashlar
