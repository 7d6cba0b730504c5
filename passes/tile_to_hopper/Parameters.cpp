#include "passes/tile_to_hopper/Parameters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/InRole.h"
#include "passes/stages/Ring.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Whether something accesses a tensor by its address, not by a tensor map.
bool isReachedByAddress(tile::TensorOp tensor) {
  return llvm::any_of(tensor.getResult().getUsers(), [](Operation *user) {
    // A copy to it: at the end of a row that TMA would write past.
    if (auto copy = dyn_cast<tile::CopyOp>(user))
      return engineOf(copy) != CopyEngine::tma;
    return !isa<tile::PrefetchOp, tile::InsideOp>(user);
  });
}

} // namespace

Parameters::Parameters(tile::KernelOp source, OpBuilder &builder) {
  Block &body = source.getBody().front();
  for (auto size : body.getOps<tile::SizeOp>())
    values[size] =
        hopper::SizeOp::create(builder, size.getLoc(), size.getName());
  for (auto scalar : body.getOps<tile::ScalarOp>())
    values[scalar] = hopper::ScalarOp::create(builder, scalar.getLoc(),
                                              scalar.getResult().getType(),
                                              scalar.getName());
  for (auto tensor : body.getOps<tile::TensorOp>()) {
    if (!isReachedByAddress(tensor))
      continue;
    GlobalTensor &global = tensors[tensor.getResult()];
    Location loc = tensor.getLoc();
    global.pointer = hopper::PointerOp::create(builder, loc, tensor.getName());
    const int64_t rank = tensor.getResult().getType().getRank();
    for (int64_t dimension = 0; dimension + 1 < rank; ++dimension)
      global.strides.push_back(
          hopper::StrideOp::create(builder, loc, tensor.getName(), dimension));
    global.strides.push_back(arith::ConstantIntOp::create(builder, loc, 1, 64));
  }
}

GlobalTensor Parameters::tensor(Value tensor,
                                ConversionPatternRewriter &rewriter) const {
  if (!tensor)
    return {};
  GlobalTensor global = tensors.lookup(tensor);
  global.extents = extents(tensor, rewriter);
  const int64_t together = tile::elementsIn(
      cast<tile::TensorType>(tensor.getType()).getElementType());
  Value &last = global.extents.back();
  last = Arithmetic{rewriter, tensor.getLoc()}.div(last, together);
  return global;
}

SmallVector<Value> Parameters::extents(Value tensor,
                                       ConversionPatternRewriter &rewriter) {
  return llvm::map_to_vector(
      tensor.getDefiningOp<tile::TensorOp>().getExtents(),
      [&](Value extent) { return rewriter.getRemappedValue(extent); });
}

Value tensorMap(OpBuilder &builder, hopper::KernelOp kernel,
                tile::TensorOp tensor, ArrayRef<int64_t> tileBox,
                ArrayRef<int64_t> tileStep, int64_t swizzleBytes) {
  const int64_t rank = tensor.getResult().getType().getRank();
  SmallVector<int64_t> box(rank - tileBox.size(), 1), step(box);
  llvm::append_range(box, tileBox);
  llvm::append_range(step, tileStep);
  DenseI64ArrayAttr steps;
  if (llvm::any_of(step, [](int64_t each) { return each > 1; }))
    steps = builder.getDenseI64ArrayAttr(step);
  Operation *last = nullptr;
  Block &body = kernel.getBody().front();
  for (Operation &op : body) {
    if (isa<hopper::SizeOp, hopper::ScalarOp, hopper::PointerOp,
            hopper::StrideOp, hopper::TensorMapOp>(op))
      last = &op;
    if (auto map = dyn_cast<hopper::TensorMapOp>(op))
      if (map.getTensor() == tensor.getName() &&
          map.getBox() == ArrayRef(box) && map.getStepAttr() == steps &&
          int64_t(map.getSwizzle()) == swizzleBytes)
        return map;
  }
  OpBuilder::InsertionGuard guard(builder);
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(&body);
  return hopper::TensorMapOp::create(builder, tensor.getLoc(),
                                     tensor.getNameAttr(),
                                     builder.getDenseI64ArrayAttr(box), steps,
                                     builder.getI64IntegerAttr(swizzleBytes));
}

void prefetchTensorMaps(hopper::KernelOp kernel) {
  auto maps = llvm::to_vector(kernel.getBody().getOps<hopper::TensorMapOp>());
  if (maps.empty())
    return;
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(maps.back());
  byOneThread(builder, kernel.getLoc(), [&] {
    for (hopper::TensorMapOp map : maps)
      hopper::TensorMapPrefetchOp::create(builder, map.getLoc(), map);
  });
}

} // namespace ashlar
