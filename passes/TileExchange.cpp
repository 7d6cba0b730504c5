// tile-exchange: what the warps of a role combine, have to agree on or hold for
// one another goes through shared memory.
//
// What is relayed in each warp goes from lane to lane. A reduction is what each
// warp combines; where several warps hold what belongs together, each writes
// its part, and everyone combines all parts in the same order. A scan goes on
// behind what those before it are together. A value of memory that others may
// change meanwhile, or that only one thread gets, is the first thread's.

#include "compiler/hopper/Hopper.h"
#include "compiler/layout/Reduction.h"
#include "compiler/layout/Relay.h"
#include "compiler/layout/Scan.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/InRole.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEEXCHANGE
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A tile whose elements lie one after another, the last dimension's first.
tile::SharedType denseTile(RankedTensorType fragment) {
  ArrayRef<int64_t> shape = fragment.getShape();
  std::vector<layout::Layout> modes(shape.size());
  int64_t bytes = tile::elementBytes(fragment.getElementType());
  for (size_t i = shape.size(); i-- > 0; bytes *= shape[i])
    modes[i] = layout::Layout(shape[i], bytes);
  return tile::SharedType::get(
      fragment.getContext(), shape, fragment.getElementType(),
      layout::SwizzledLayout{layout::Swizzle{0, 4, 3}, layout::concat(modes)});
}

/// The tiles through which the warps of a role tell one another.
class Exchange {
public:
  explicit Exchange(tile::RoleOp role) : role(role) {}

  void expand(tile::ReduceOp op);
  void expand(tile::ScanOp op);
  void expand(tile::RelayOp op);
  void expand(tile::ValueOp op);
  void expand(tile::AtomicOp op);
  void expand(tile::PtxOp op);

private:
  /// What threads hold, lying as others need it; read, where it is little, when
  /// it is needed, with the builder there.
  Value relay(OpBuilder &builder, Location loc, Value value,
              RankedTensorType as,
              std::optional<Block::iterator> neededAt = {});
  /// The same, where every warp holds what it needs without shared memory.
  Value relayAsNumbers(OpBuilder &builder, tile::RelayOp op, Value value,
                       RankedTensorType as);
  /// What the first thread of the role holds, in each of its threads.
  Value agree(OpBuilder &builder, Location loc, Value value);
  /// Makes who uses a value use the first thread's.
  void agreeOn(Value value);

  /// A tile through which threads exchange something, and who reads it last.
  struct Scratch {
    Value tile;
    Operation *read = nullptr;
  };
  /// One for an operation to write to. Two or more of a small type take turns:
  /// with one, the role's threads would have to meet before they write the next
  /// to it.
  Scratch &scratchFor(tile::SharedType type, Operation *op);
  static bool isSmall(tile::SharedType type) {
    return type.sizeBytes() <= target::sharedBytes / 100;
  }

  tile::RoleOp role;
  /// Of each type, the one that was used last at the end.
  llvm::DenseMap<Type, SmallVector<Scratch>> scratch;
};

Exchange::Scratch &Exchange::scratchFor(tile::SharedType type, Operation *op) {
  SmallVector<Scratch> &all = scratch[type];
  auto isFree = [&](const Scratch &each) {
    if (!each.read)
      return true;
    Operation *here = each.read->getBlock()->findAncestorOpInBlock(*op);
    return !here || each.read->isBeforeInBlock(here);
  };
  Scratch next;
  auto free = llvm::find_if(all, isFree);
  if (free != all.end() && all.size() >= (isSmall(type) ? 2 : 1)) {
    next = *free;
    all.erase(free);
  } else {
    OpBuilder builder(role);
    next.tile = tile::AllocOp::create(builder, op->getLoc(), type);
  }
  all.push_back(next);
  return all.back();
}

Value Exchange::relay(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType as,
                      std::optional<Block::iterator> neededAt) {
  Scratch &scratch = scratchFor(denseTile(as), &*builder.getInsertionPoint());
  tile::WriteOp::create(builder, loc, value, scratch.tile,
                        /*transposed=*/false);
  if (neededAt && isSmall(denseTile(as)))
    builder.setInsertionPoint(builder.getBlock(), *neededAt);
  auto read = tile::ReadOp::create(builder, loc, as, scratch.tile);
  scratch.read = read;
  return read;
}

RankedTensorType fragmentOf(Type element,
                            const layout::FragmentLayout &layout) {
  return RankedTensorType::get(
      layout.shape, element,
      tile::FragmentAttr::get(element.getContext(), layout));
}

void Exchange::expand(tile::ReduceOp op) {
  auto source = cast<RankedTensorType>(op.getValue().getType());
  auto fragment = [&](const layout::FragmentLayout &layout) {
    return fragmentOf(source.getElementType(), layout);
  };
  const auto reduction = *layout::warpReduction(
      tile::fragmentOf(source).getLayout(),
      {op.getDimensions().begin(), op.getDimensions().end()});
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto combine = [&](Value value, ArrayRef<int64_t> along,
                     const layout::FragmentLayout &layout) -> Value {
    return hopper::WarpReduceOp::create(builder, named(op, "reduce"),
                                        fragment(layout), value,
                                        op.getReduction(), along);
  };
  Value result;
  if (reduction.parts == 1) {
    result = combine(op.getValue(), op.getDimensions(), reduction.result);
  } else {
    op.emitRemark("what is combined here lies in several warps: they exchange "
                  "their parts through shared memory");
    Value part = combine(op.getValue(), op.getDimensions(), reduction.partial);
    Value parts =
        relay(builder, loc, part, fragment(reduction.gathered), neededAt(op));
    result = combine(parts, int64_t(reduction.result.shape.size()),
                     reduction.result);
  }
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

void Exchange::expand(tile::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  const Type element = type.getElementType();
  auto scan = layout::warpScan(tile::fragmentOf(type).getLayout(),
                               int(op.getDimension()));
  OpBuilder builder(op);
  Value totals;
  if (scan->runs > 1) {
    op.emitRemark("what is scanned here lies in several warps: they exchange "
                  "what their parts are together through shared memory");
    totals = hopper::WarpTotalsOp::create(
        builder, named(op, "totals"), fragmentOf(element, scan->totals),
        op.getValue(), op.getReduction(), op.getDimension());
    totals = relay(builder, op.getLoc(), totals,
                   fragmentOf(element, scan->gathered));
  }
  Value result = hopper::WarpScanOp::create(
      builder, named(op, "scan"), type, op.getValue(), totals,
      op.getReduction(), op.getDimension(), op.getExclusive());
  op.replaceAllUsesWith(result);
  op.erase();
}

Value Exchange::relayAsNumbers(OpBuilder &builder, tile::RelayOp op,
                               Value value, RankedTensorType to) {
  const int64_t perWord =
      std::max<int64_t>(4 / tile::elementBytes(to.getElementType()), 1);
  if (layout::warpRelay(tile::fragmentOf(value.getType()).getLayout(),
                        tile::fragmentOf(to).getLayout(), perWord))
    return hopper::WarpRelayOp::create(builder, named(op, "relay"), to, value);
  op.emitRemark("this fragment lies otherwise than it is needed here: its "
                "threads exchange it through shared memory");
  return relay(builder, op.getLoc(), value, to);
}

/// Truth values go as numbers.
void Exchange::expand(tile::RelayOp op) {
  OpBuilder builder(op);
  const Location loc = op.getLoc();
  auto to = cast<RankedTensorType>(op.getResult().getType());
  Value value = op.getValue();
  const bool isMask = to.getElementType().isInteger(1);
  if (isMask) {
    to = to.clone(builder.getI8Type());
    auto from = cast<RankedTensorType>(value.getType());
    value = arith::ExtUIOp::create(builder, loc,
                                   from.clone(builder.getI8Type()), value);
  }
  Value result = relayAsNumbers(builder, op, value, to);
  if (isMask) {
    Value zero = arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(to, builder.getI8IntegerAttr(0)));
    result = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                   result, zero);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

Value Exchange::agree(OpBuilder &builder, Location loc, Value value) {
  if (role.getWarps() == 1)
    return hopper::FirstLaneOp::create(builder, loc, value.getType(), value);
  const int64_t threads = target::warpThreads * role.getWarps();
  auto one = RankedTensorType::get(
      {1}, value.getType(),
      tile::FragmentAttr::get(builder.getContext(),
                              layout::FragmentLayout{{1},
                                                     layout::Layout(threads, 0),
                                                     layout::Layout()}));
  // Of threads that hold the same element the first one writes it.
  Value held = tile::SplatOp::create(builder, loc, one, value);
  return tile::ElementOp::create(builder, loc, value.getType(),
                                 relay(builder, loc, held, one));
}

void Exchange::agreeOn(Value value) {
  SmallVector<OpOperand *> uses =
      llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
  if (uses.empty())
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value agreed = agree(builder, value.getLoc(), value);
  for (OpOperand *use : uses)
    use->set(agreed);
}

void Exchange::expand(tile::ValueOp op) {
  auto tensor = op.getSource().getDefiningOp<tile::TensorOp>();
  if (tensor.getAccess() == tile::Access::input)
    return;
  op.setApart(true);
  agreeOn(op.getResult());
}

void Exchange::expand(tile::AtomicOp op) {
  op.setApart(true);
  agreeOn(op.getResult());
}

/// What the author's instruction gives may differ among threads.
void Exchange::expand(tile::PtxOp op) {
  if (!isa<RankedTensorType>(op.getResult().getType()))
    agreeOn(op.getResult());
}

struct TileExchange : impl::TileExchangeBase<TileExchange> {
  void runOnOperation() override {
    if (failed(demandLayouts(getOperation())))
      return signalPassFailure();
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>()) {
      Exchange exchange(role);
      SmallVector<Operation *> ops;
      role.walk([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops)
        llvm::TypeSwitch<Operation *>(op)
            .Case<tile::ReduceOp, tile::ScanOp, tile::RelayOp, tile::ValueOp,
                  tile::AtomicOp, tile::PtxOp>(
                [&](auto known) { exchange.expand(known); });
    }
  }
};

} // namespace
} // namespace ashlar
