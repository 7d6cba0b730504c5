// tile-widen-indices: what 32 bits may not hold is computed in 64.
//
// An index is as large as the author's arithmetic makes it. Where it lies
// between numbers of 32 bits, whatever the sizes are, it stays an index, which
// has 32 bits from here on. Where that can't be shown it is an i64; so are
// loops that count to it. A coordinate beyond the limit is put at the limit,
// which lies outside of every tensor as well.

#include "compiler/target/Target.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/IndexFacts.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEWIDENINDICES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t limit = target::largestIndex;

SmallVector<Value> indicesOf(tile::KernelOp kernel) {
  SmallVector<Value> indices;
  auto add = [&](ValueRange values) {
    llvm::append_range(indices, llvm::make_filter_range(values, [](Value v) {
                         return v.getType().isIndex();
                       }));
  };
  kernel.walk([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  return indices;
}

/// Makes the indices of a kernel that need it i64. Types change in place:
/// between values of different width a cast is put.
class Widening {
public:
  explicit Widening(tile::KernelOp kernel)
      : kernel(kernel), indices(indicesOf(kernel)), facts(indices),
        builder(kernel.getContext()), i64(builder.getI64Type()) {}

  LogicalResult run() {
    for (Value index : indices)
      if (!isWithinLimit(facts.of(index).low) ||
          !isWithinLimit(facts.of(index).high))
        wide.insert(index);
    // A loop carries a value in registers of one width.
    kernel.walk([&](scf::ForOp loop) {
      for (auto [argument, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
        if (isWide(argument) || isWide(result))
          for (Value carried : {Value(argument), Value(result)})
            wide.insert(carried);
    });
    SmallVector<Operation *> ops;
    // What is outside first: it gives values their types.
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(widen(op)))
        return failure();
    return success();
  }

private:
  static bool isWithinLimit(int64_t number) {
    return number >= -limit && number <= limit;
  }
  bool isWide(Value value) const { return wide.contains(value); }

  LogicalResult widen(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      const bool is64 = countsFar(loop);
      if (is64)
        for (OpOperand &bound : loop->getOpOperands().take_front(3))
          extend(bound);
      widenResult(loop.getInductionVar(), is64);
      for (auto [argument, init, yielded, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitsMutable(),
                     *loop.getYieldedValuesMutable(), loop.getResults()))
        if (isWide(result)) {
          extend(init);
          extend(yielded);
          argument.setType(i64);
          result.setType(i64);
        }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (OpResult result : branch.getResults())
        if (isWide(result)) {
          for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
            extend(yield->getOpOperand(result.getResultNumber()));
          result.setType(i64);
        }
    } else if (isa<scf::YieldOp>(op)) {
      return success(); // with its loop or branch
    } else if (auto cast = dyn_cast<arith::IndexCastOp>(op);
               cast && isWide(cast.getResult())) {
      take(cast);
    } else if (isComputed(op)) {
      compute(op);
    } else {
      return limitOperands(op);
    }
    return success();
  }

  static bool isComputed(Operation *op) {
    return isa<tile::MultipleOfOp, tile::AtMostOp, tile::InTurnsOp>(op) ||
           (isa<arith::ArithDialect>(op->getDialect()) &&
            !isa<arith::IndexCastOp, arith::IndexCastUIOp>(op));
  }

  /// Whether a loop needs 64 bits to find its end: its counter goes one step
  /// beyond.
  bool countsFar(scf::ForOp loop) const {
    if (loop.getInductionVar().getType() == i64)
      return true;
    // A launch has fewer tiles.
    if (loop.getStep().getDefiningOp<tile::ScheduleRangeOp>())
      return false;
    // Instances of a role that take turns step over each other's.
    const bool isShared(loop.getStep().getDefiningOp<tile::InTurnsOp>());
    const int64_t instances =
        isShared ? int64_t(tile::roleOf(loop).getInstances()) : 1;
    const int64_t last = facts.of(loop.getInductionVar()).high,
                  step = facts.of(loop.getStep()).high * instances;
    return isWide(loop.getInductionVar()) || isWide(loop.getLowerBound()) ||
           isWide(loop.getStep()) || isWide(loop.getUpperBound()) ||
           !isWithinLimit(last + step);
  }

  /// Arithmetic has 64 bits where anything about it does.
  void compute(Operation *op) {
    if (llvm::none_of(op->getOperands(), [&](Value v) { return isWide(v); }) &&
        llvm::none_of(op->getResults(), [&](Value v) { return isWide(v); }))
      return;
    for (OpOperand &operand : op->getOpOperands())
      extend(operand);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      constant.setValueAttr(builder.getI64IntegerAttr(
          cast<IntegerAttr>(constant.getValue()).getInt()));
    for (OpResult result : op->getResults())
      widenResult(result, true);
  }

  /// A number of memory that is an index of more than 32 bits.
  void take(arith::IndexCastOp cast) {
    builder.setInsertionPoint(cast);
    Value number = cast.getIn();
    if (number.getType() != i64)
      number = arith::ExtSIOp::create(builder, cast.getLoc(), i64, number);
    wide.insert(number);
    cast.replaceAllUsesWith(number);
    cast.erase();
  }

  /// An operand as a number of 64 bits.
  void extend(OpOperand &operand) {
    Value value = operand.get();
    if (!value.getType().isIndex() || isWide(value))
      return;
    Operation *op = operand.getOwner();
    builder.setInsertionPoint(op);
    operand.set(arith::IndexCastOp::create(builder, op->getLoc(), i64, value));
  }

  /// What is computed in 64 bits; where 32 hold it, it is an index again.
  void widenResult(Value result, bool is64) {
    if (!is64 || !result.getType().isIndex())
      return;
    result.setType(i64);
    if (isWide(result))
      return;
    builder.setInsertionPointAfterValue(result);
    auto index = arith::IndexCastOp::create(builder, result.getLoc(),
                                            builder.getIndexType(), result);
    result.replaceAllUsesExcept(index, index);
  }

  LogicalResult limitOperands(Operation *op) {
    // Its accessors are of indices, and the amount is none any more.
    if (isa<tile::SignalOp>(op) && isWide(op->getOperand(0)))
      return op->emitError("signals an amount that 32 bits may not hold, as "
                           "a counter does: bound it with min()");
    if (auto cast = dyn_cast<arith::IndexCastOp>(op);
        cast && isWide(cast.getIn())) {
      limitNumber(cast);
      return success();
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isWide(operand.get()))
        continue;
      builder.setInsertionPoint(op);
      operand.set(arith::IndexCastOp::create(
          builder, op->getLoc(), builder.getIndexType(),
          within(op->getLoc(), operand.get(), -limit, limit)));
    }
    return success();
  }

  /// A number of fewer bits that an index becomes: the nearest that these hold.
  void limitNumber(arith::IndexCastOp cast) {
    builder.setInsertionPoint(cast);
    Location loc = cast.getLoc();
    const unsigned width = cast.getType().getIntOrFloatBitWidth();
    Value number =
        within(loc, cast.getIn(), llvm::minIntN(width), llvm::maxIntN(width));
    if (width < 64)
      number = arith::TruncIOp::create(builder, loc, cast.getType(), number);
    cast.replaceAllUsesWith(number);
    cast.erase();
  }

  Value within(Location loc, Value value, int64_t least, int64_t most) {
    auto number = [&](int64_t bound) -> Value {
      return arith::ConstantIntOp::create(builder, loc, bound, 64);
    };
    return builder.createOrFold<arith::MaxSIOp>(
        loc, builder.createOrFold<arith::MinSIOp>(loc, value, number(most)),
        number(least));
  }

  tile::KernelOp kernel;
  const SmallVector<Value> indices;
  IndexFacts facts;
  llvm::DenseSet<Value> wide;
  OpBuilder builder;
  Type i64;
};

struct TileWidenIndices : impl::TileWidenIndicesBase<TileWidenIndices> {
  void runOnOperation() override {
    if (failed(Widening(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
