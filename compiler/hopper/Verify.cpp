// What operations on fragments and shared memory require.

#include "compiler/hopper/Verify.h"
#include "compiler/layout/Reduction.h"
#include "compiler/layout/Relay.h"
#include "compiler/layout/Scan.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Verify.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace ashlar::hopper {

LogicalResult demandRole(Operation *op) {
  if (op->getParentOfType<RoleOp>() || tile::roleOf(op))
    return success();
  return op->emitOpError("stands outside a role; only a role's threads share "
                         "out a tile");
}

namespace {

LogicalResult demandLayout(Operation *op, tile::SharedType type) {
  if (type.getLayout())
    return success();
  return op->emitOpError("uses a shared tile that has no layout");
}

} // namespace

LogicalResult ScalarOp::verify() { return tile::checkScalar(*this); }

LogicalResult SharedAddressOp::verify() {
  if (getOffset() < uint64_t(target::sharedBytes))
    return success();
  return emitOpError("is that of byte ")
         << int64_t(getOffset()) << "; a CTA has " << target::sharedBytes;
}

LogicalResult SharedLoadOp::verify() {
  if (failed(demandRole(*this)) ||
      failed(demandLayout(*this, getSource().getType())))
    return failure();
  return tile::checkSharedFragment(
      *this, getSource().getType(),
      cast<RankedTensorType>(getResult().getType()), getTransposed());
}

LogicalResult SharedStoreOp::verify() {
  if (failed(demandRole(*this)) ||
      failed(demandLayout(*this, getTarget().getType())))
    return failure();
  return tile::checkSharedFragment(*this, getTarget().getType(),
                                   cast<RankedTensorType>(getValue().getType()),
                                   getTransposed());
}

LogicalResult SharedValueOp::verify() {
  if (failed(demandRole(*this)) ||
      failed(demandLayout(*this, getSource().getType())))
    return failure();
  return tile::checkSharedValue(*this, getSource().getType(),
                                getCoordinates().size(), getResult().getType());
}

LogicalResult FirstLaneOp::verify() {
  if (getValue().getType() == getResult().getType())
    return demandRole(*this);
  return emitOpError("gives ")
         << getResult().getType() << " of " << getValue().getType();
}

LogicalResult ExchangeSendOp::verify() { return demandRole(*this); }

LogicalResult ExchangeReceiveOp::verify() { return demandRole(*this); }

LogicalResult MbarrierTestOp::verify() {
  auto barrier = getAgree();
  if (barrier && (*barrier < 1 || *barrier >= uint64_t(target::namedBarriers)))
    return emitOpError("agrees over barrier ")
           << int64_t(*barrier) << "; named barriers are 1 to "
           << target::namedBarriers - 1;
  return demandRole(*this);
}

LogicalResult SplatOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  if (type.getElementType() != getValue().getType())
    return emitOpError("makes ") << type << " of a " << getValue().getType();
  return success();
}

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(tile::checkBroadcast(*this, source, result, getDimensions())))
    return failure();
  auto from = tile::fragmentOf(source), to = tile::fragmentOf(result);
  if (!from || !to)
    return success();
  std::vector<int> along(getDimensions().begin(), getDimensions().end());
  auto slice =
      layout::broadcastLayout(to.getLayout(), source.getShape().vec(), along);
  if (slice == from.getLayout())
    return success();
  return emitOpError("spreads a fragment that lies as ")
         << from.getLayout().str() << "; without moving data it is to lie as "
         << slice.str();
}

LogicalResult CoordinateOp::verify() {
  if (failed(demandRole(*this)))
    return failure();
  return tile::checkCoordinate(
      *this, cast<RankedTensorType>(getResult().getType()), getDimension());
}

LogicalResult ElementOp::verify() {
  return tile::checkElement(*this, cast<RankedTensorType>(getValue().getType()),
                            getResult().getType());
}

LogicalResult WarpReduceOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (failed(demandRole(*this)) ||
      failed(tile::checkReduced(*this, source, getDimensions())))
    return failure();
  if (result.getElementType() != source.getElementType())
    return emitOpError("gives ") << result << " of " << source;
  auto from = tile::fragmentOf(source), to = tile::fragmentOf(result);
  if (!from || !to)
    return success();
  auto reduction = layout::warpReduction(
      from.getLayout(), {getDimensions().begin(), getDimensions().end()});
  if (!reduction)
    return emitOpError() << reduction.why();
  const layout::FragmentLayout &expected =
      reduction->parts > 1 ? reduction->partial : reduction->result;
  if (to.getLayout() == expected)
    return success();
  return emitOpError("gives what lies as ")
         << to.getLayout().str() << "; what a warp combines lies as "
         << expected.str();
}

/// Whether a fragment beside a scan, if it has a layout, lies as it must.
static LogicalResult
checkTotals(Operation *op, RankedTensorType value, RankedTensorType totals,
            int64_t dimension, layout::FragmentLayout layout::WarpScan::*lie) {
  if (totals && totals.getElementType() != value.getElementType())
    return op->emitOpError("scans ") << value << " with totals of " << totals;
  auto from = tile::fragmentOf(value);
  auto of = totals ? tile::fragmentOf(totals) : nullptr;
  if (!from || (totals && !of))
    return success();
  auto scan = layout::warpScan(from.getLayout(), dimension);
  if (!scan)
    return op->emitOpError() << scan.why();
  if (!totals && scan->runs == 1)
    return success();
  const layout::FragmentLayout &expected = *scan.*lie;
  if (!totals)
    return op->emitOpError("lacks the totals of ") << scan->runs << " runs";
  if (of.getLayout() == expected)
    return success();
  return op->emitOpError("has totals that lie as ")
         << of.getLayout().str() << "; they are to lie as " << expected.str();
}

LogicalResult WarpRelayOp::verify() {
  auto from = cast<RankedTensorType>(getValue().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (failed(demandRole(*this)))
    return failure();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("gives ") << to << " of " << from;
  if (!tile::fragmentOf(from) || !tile::fragmentOf(to))
    return success();
  auto relay = layout::warpRelay(tile::fragmentOf(from).getLayout(),
                                 tile::fragmentOf(to).getLayout(), 1);
  return relay ? success() : emitOpError() << relay.why();
}

LogicalResult LastIfOp::verify() {
  if (isa_and_present<scf::ForOp>((*this)->getParentOp()))
    return demandRole(*this);
  return emitOpError("stands in no loop's own body");
}

LogicalResult PrintOp::verify() {
  if (failed(demandRole(*this)))
    return failure();
  return tile::checkPrinted(*this, getText(), getValues(), getCondition());
}

LogicalResult WarpTotalsOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  if (failed(demandRole(*this)) ||
      failed(tile::checkReduced(*this, source, getDimension())))
    return failure();
  return checkTotals(*this, source,
                     cast<RankedTensorType>(getResult().getType()),
                     getDimension(), &layout::WarpScan::totals);
}

LogicalResult WarpScanOp::verify() {
  auto source = cast<RankedTensorType>(getValue().getType());
  if (failed(demandRole(*this)) ||
      failed(tile::checkReduced(*this, source, getDimension())))
    return failure();
  Value totals = getTotals();
  return checkTotals(*this, source,
                     totals ? cast<RankedTensorType>(totals.getType())
                            : RankedTensorType(),
                     getDimension(), &layout::WarpScan::gathered);
}

LogicalResult checkPart(Operation *op, RankedTensorType whole,
                        RankedTensorType part, ArrayRef<int64_t> offsets) {
  if (failed(tile::checkSlice(op, whole, part, offsets)))
    return failure();
  auto from = tile::fragmentOf(whole), to = tile::fragmentOf(part);
  if (!from || !to)
    return success();
  auto layout = layout::partLayout(from.getLayout(), offsets.vec(),
                                   part.getShape().vec());
  if (!layout)
    return op->emitOpError() << layout.why();
  if (*layout == to.getLayout())
    return success();
  return op->emitOpError("gives a part that lies as ")
         << to.getLayout().str() << "; in its fragment it lies as "
         << layout->str();
}

LogicalResult ConvertOp::verify() {
  if (failed(demandRole(*this)))
    return failure();
  return tile::checkConvert(*this, cast<RankedTensorType>(getValue().getType()),
                            cast<RankedTensorType>(getResult().getType()));
}

LogicalResult SliceOp::verify() {
  return checkPart(*this, cast<RankedTensorType>(getValue().getType()),
                   cast<RankedTensorType>(getResult().getType()), getOffsets());
}

} // namespace ashlar::hopper
