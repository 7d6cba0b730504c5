// What products, accumulators and groups of wgmma require.

#include "compiler/hopper/Hopper.h"
#include "compiler/layout/WgmmaFragment.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"

using namespace mlir;

namespace ashlar::hopper {

namespace {

/// Whether what an operation takes in registers lies as wgmma has it.
LogicalResult checkRegisters(Operation *op, RankedTensorType fragment,
                             const layout::Result<layout::FragmentLayout> &of,
                             StringRef what) {
  if (!tile::fragmentOf(fragment))
    return op->emitOpError("has ") << what << " without a fragment layout";
  if (!of)
    return op->emitOpError() << of.why();
  if (tile::fragmentOf(fragment).getLayout() == *of)
    return success();
  return op->emitOpError("has ") << what << " that lies as "
                                 << tile::fragmentOf(fragment).getLayout().str()
                                 << "; that of wgmma lies as " << of->str();
}

/// A product as its role's warpgroups compute it, by mma or wgmma.
LogicalResult checkProduct(Operation *op, const tile::Product &product) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role)
    return op->emitOpError("stands outside a role");
  auto tileA = dyn_cast<tile::SharedType>(product.a);
  if ((tileA && !tileA.getLayout()) || !product.b.getLayout())
    return op->emitOpError("reads a tile that has no layout");
  if (!tile::fragmentOf(product.sum))
    return op->emitOpError("has an accumulator without a fragment layout");
  if (failed(tile::checkMma(op, product, role.getName(), role.getWarps())))
    return failure();
  const int64_t warpgroups = int64_t(role.getWarps()) / target::warpgroupWarps,
                bytes = tile::elementBytes(product.elementA());
  auto sumLayout = [&](layout::RowsOfLane rows) {
    return layout::accumulatorLayout(product.sum.getDimSize(0),
                                     product.sum.getDimSize(1), warpgroups,
                                     rows, product.columnOrder());
  };
  auto a = dyn_cast<RankedTensorType>(product.a);
  // A in shared memory has its rows as wgmma numbers them, and so metadata.
  auto rows = layout::RowsOfLane::eight_apart;
  if (a && !product.metadata)
    if (auto sum = sumLayout(layout::RowsOfLane::neighbours);
        sum && tile::fragmentOf(product.sum).getLayout() == *sum)
      rows = layout::RowsOfLane::neighbours;
  if (a &&
      failed(checkRegisters(
          op, a,
          layout::operandLayout(a.getDimSize(0), a.getDimSize(1), warpgroups,
                                bytes, rows, product.depthOrder()),
          "an A")))
    return failure();
  if (RankedTensorType of = product.metadata;
      of && failed(checkRegisters(op, of,
                                  layout::metadataLayout(of.getDimSize(0),
                                                         of.getDimSize(1),
                                                         warpgroups, bytes),
                                  "metadata")))
    return failure();
  return checkRegisters(op, product.sum, sumLayout(rows), "an accumulator");
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
    return wgmma &&
           (wgmma.getA() == accumulator || wgmma.getMetadata() == accumulator);
  });
}

tile::Product MmaOp::product() {
  return {getA().getType(),
          getB().getType(),
          cast<RankedTensorType>(getResult().getType()),
          getMetadata() ? cast<RankedTensorType>(getMetadata().getType())
                        : RankedTensorType(),
          getTransposeA(),
          getTransposeB()};
}

LogicalResult MmaOp::verify() { return checkProduct(*this, product()); }

tile::Product WgmmaOp::product() {
  auto registers = dyn_cast<AccumulatorType>(getA().getType());
  return {registers ? Type(registers.getFragment()) : getA().getType(),
          getB().getType(),
          getAccumulator().getType().getFragment(),
          getMetadata() ? getMetadata().getType().getFragment()
                        : RankedTensorType(),
          getTransposeA(),
          getTransposeB()};
}

LogicalResult WgmmaOp::verify() {
  SmallVector<Value> registers{getAccumulator()};
  if (isa<AccumulatorType>(getA().getType()))
    registers.push_back(getA());
  if (getMetadata())
    registers.push_back(getMetadata());
  for (Value accumulator : registers)
    if (failed(checkAccumulator(*this, accumulator)))
      return failure();
  return checkProduct(*this, product());
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
  auto from = cast<RankedTensorType>(getValue().getType());
  auto to = cast<RankedTensorType>(getAccumulator().getType().getFragment());
  const bool rounds =
      from.getElementType().isF32() &&
      (to.getElementType().isBF16() || to.getElementType().isF16()) &&
      isOperandA(getAccumulator());
  if (from == to || (rounds && from.clone(to.getElementType()) == to))
    return success();
  return emitOpError("writes ")
         << getValue().getType() << " to an accumulator of "
         << getAccumulator().getType().getFragment();
}

LogicalResult AccumulatorRescaleOp::verify() {
  if (failed(checkAccumulator(*this, getAccumulator())))
    return failure();
  auto sums = cast<RankedTensorType>(getAccumulator().getType().getFragment());
  if (getFactors().getType() == sums && sums.getElementType().isF32() &&
      !isOperandA(getAccumulator()))
    return success();
  return emitOpError("multiplies an accumulator of ")
         << sums << " by " << getFactors().getType()
         << "; both are one fragment of f32 sums";
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
