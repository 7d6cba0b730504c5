// What products, accumulators and groups of wgmma require.

#include "compiler/hopper/Hopper.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::hopper {

namespace {

/// A product as its role's warpgroups compute it, by mma or wgmma.
template <typename Product>
LogicalResult checkProduct(Product op, Type a, RankedTensorType sum) {
  auto role = op->template getParentOfType<RoleOp>();
  if (!role)
    return op.emitOpError("stands outside a role");
  auto tileA = dyn_cast<tile::SharedType>(a);
  if ((tileA && !tileA.getLayout()) || !op.getB().getType().getLayout())
    return op.emitOpError("reads a tile that has no layout");
  if (!tile::fragmentOf(sum))
    return op.emitOpError("has an accumulator without a fragment layout");
  if (failed(tile::checkMma(op, a, op.getB().getType(), sum, op.getTransposeA(),
                            op.getTransposeB(), role.getName(),
                            role.getWarps())))
    return failure();
  const int64_t warpgroups = int64_t(role.getWarps()) / target::warpgroupWarps;
  // A of 16 bits lies in registers as a sum of its shape does (PTX ISA,
  // "Register fragments for wgmma.mma_async.m64nNk16").
  if (auto fragment = dyn_cast<RankedTensorType>(a)) {
    auto layout = layout::accumulatorLayout(fragment.getDimSize(0),
                                            fragment.getDimSize(1), warpgroups);
    if (!layout || !tile::fragmentOf(fragment) ||
        tile::fragmentOf(fragment).getLayout() != *layout)
      return op.emitOpError(
          "takes A from registers, where it does not lie as a "
          "sum of wgmma does");
  }
  auto layout = layout::accumulatorLayout(sum.getDimSize(0), sum.getDimSize(1),
                                          warpgroups);
  if (!layout)
    return op.emitOpError() << layout.why();
  if (*layout == tile::fragmentOf(sum).getLayout())
    return success();
  return op.emitOpError("has an accumulator that lies as ")
         << tile::fragmentOf(sum).getLayout().str()
         << "; that of wgmma lies as " << layout->str();
}

/// Registers have names, so an operation names those that it means.
LogicalResult checkAccumulator(Operation *op, Value accumulator) {
  if (accumulator.getDefiningOp<AccumulatorOp>())
    return success();
  return op->emitOpError("uses an accumulator that no hopper.accumulator gave");
}

} // namespace

LogicalResult
AccumulatorType::verify(function_ref<InFlightDiagnostic()> emitError,
                        RankedTensorType fragment) {
  if (!tile::fragmentOf(fragment))
    return emitError() << "has no fragment layout";
  return success();
}

bool isOperandA(Value accumulator) {
  return llvm::any_of(accumulator.getUsers(), [&](Operation *user) {
    auto wgmma = dyn_cast<WgmmaOp>(user);
    return wgmma && wgmma.getA() == accumulator;
  });
}

LogicalResult MmaOp::verify() {
  return checkProduct(*this, getA().getType(),
                      cast<RankedTensorType>(getResult().getType()));
}

LogicalResult WgmmaOp::verify() {
  if (failed(checkAccumulator(*this, getAccumulator())))
    return failure();
  Type a = getA().getType();
  if (auto registers = dyn_cast<AccumulatorType>(a)) {
    if (failed(checkAccumulator(*this, getA())))
      return failure();
    a = registers.getFragment();
  }
  return checkProduct(*this, a, getAccumulator().getType().getFragment());
}

LogicalResult AccumulatorOp::verify() {
  auto role = dyn_cast<RoleOp>(getOperation()->getParentOp());
  if (!role)
    return emitOpError("stands in no role's own block; an accumulator is "
                       "there for the whole role");
  const auto &layout =
      tile::fragmentOf(getResult().getType().getFragment()).getLayout();
  int64_t threads = target::warpThreads * int64_t(role.getWarps());
  if (layout.thread.size() == threads)
    return success();
  return emitOpError("is of ")
         << layout.thread.size() << " threads; its role has " << threads;
}

LogicalResult AccumulatorReadOp::verify() {
  if (failed(checkAccumulator(*this, getAccumulator())))
    return failure();
  auto whole = getAccumulator().getType().getFragment();
  auto part = cast<RankedTensorType>(getResult().getType());
  if (getOffsets())
    return checkPart(*this, whole, part, *getOffsets());
  if (part == whole)
    return success();
  return emitOpError("reads ") << part << " from an accumulator of " << whole;
}

LogicalResult AccumulatorWriteOp::verify() {
  if (failed(checkAccumulator(*this, getAccumulator())))
    return failure();
  if (getValue().getType() == getAccumulator().getType().getFragment())
    return success();
  return emitOpError("writes ")
         << getValue().getType() << " to an accumulator of "
         << getAccumulator().getType().getFragment();
}

LogicalResult WgmmaWaitOp::verify() {
  if (int64_t(getPending()) >= 0)
    return success();
  return emitOpError("leaves ")
         << int64_t(getPending()) << " groups unfinished; at least 0";
}

LogicalResult ReleaseOp::verify() {
  if (!getOperation()->getParentOfType<RoleOp>())
    return emitOpError("stands outside a role");
  if (int64_t(getNewer()) < 0)
    return emitOpError("has ")
           << int64_t(getNewer()) << " newer stages; at least 0";
  return success();
}

} // namespace ashlar::hopper
