// hopper-assign-accumulators: what mma adds to lies in accumulators, registers
// that wgmma changes; values are read from them and written to them where other
// operations use and make them.
//
// Registers that a group of wgmma writes until it is over are no values: where
// SSA form would copy one, nobody may touch it. So it is decided here, before
// any wait is placed, which values are the same registers, and each copy that
// is left is an operation that a wait can be placed before. So it is with
// fragments that wgmma reads as A.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/ZeroFragment.h"
#include "passes/accumulators/SharedRegisters.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERASSIGNACCUMULATORS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

class Assignment {
public:
  explicit Assignment(hopper::RoleOp role) : role(role), shared(role) {}

  void run() {
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    role.walk([&](hopper::MmaOp mma) {
      Value &accumulator = accumulators[shared.setOf(mma.getResult())];
      if (!accumulator)
        accumulator = hopper::AccumulatorOp::create(
            builder, mma.getLoc(),
            hopper::AccumulatorType::get(
                builder.getContext(),
                cast<RankedTensorType>(mma.getResult().getType())));
    });
    if (accumulators.empty())
      return;
    SmallVector<Operation *> flows;
    role.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp>(op))
        flows.push_back(op);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        pass(loop, loop.getInitArgsMutable(), loop.getRegionIterArgs());
      else if (auto yield = dyn_cast<scf::YieldOp>(op))
        leaveBody(yield);
      else if (auto mma = dyn_cast<hopper::MmaOp>(op))
        toWgmma(mma);
      else
        readOperands(op);
    });
    for (Operation *op : flows)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        leaveLoop(loop);
    // What lies in accumulators is not carried and given any more.
    for (Operation *op : flows)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryOthers(loop);
      else
        giveOthers(cast<scf::IfOp>(op));
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
  }

private:
  /// The accumulator that a value lies in, or null.
  Value accumulatorOf(Value value) {
    return accumulators.lookup(shared.setOf(value));
  }

  //===-- Uses ------------------------------------------------------------===//

  void toWgmma(hopper::MmaOp mma) {
    OpBuilder builder(mma);
    Location loc = mma.getLoc();
    Value before = mma.getAccumulator();
    Value target = accumulatorOf(mma.getResult());
    const bool zeroed = isZero(before);
    if (!zeroed && target != accumulatorOf(before) &&
        !before.getDefiningOp<hopper::UndefinedOp>())
      hopper::AccumulatorWriteOp::create(
          builder, loc, accumulatorOf(before) ? valueAt(mma, before) : before,
          target);
    Value a = mma.getA(), metadata = mma.getMetadata();
    if (!isa<tile::SharedType>(a.getType()))
      a = registersOf(mma, a);
    if (metadata)
      metadata = registersOf(mma, metadata);
    hopper::WgmmaOp::create(builder, loc, a, mma.getB(), target,
                            mma.getOverwrite(), metadata, zeroed,
                            mma.getTransposeA(), mma.getTransposeB());
    replaced.push_back(mma);
  }

  /// Registers that a fragment is written to which an mma takes, once for all
  /// mma and loops that take it, where it is made: what is rounded to it needs
  /// no registers beside them.
  Value registersOf(hopper::MmaOp mma, Value a) {
    Value &registers = operands[a];
    if (registers)
      return registers;
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    registers = hopper::AccumulatorOp::create(
        builder, mma.getLoc(),
        hopper::AccumulatorType::get(builder.getContext(),
                                     cast<RankedTensorType>(a.getType())));
    Operation *at = a.getParentBlock()->findAncestorOpInBlock(*mma);
    Value value = a;
    Operation *made = accumulatorOf(a) ? nullptr : a.getDefiningOp();
    const bool rounds = made && isRounding(made);
    if (made)
      at = made->getNextNode();
    if (rounds)
      value = made->getOperand(0);
    if (accumulatorOf(value))
      value = valueAt(at, value);
    builder.setInsertionPoint(at);
    hopper::AccumulatorWriteOp::create(builder, mma.getLoc(), value, registers);
    auto isOther = [&](OpOperand &use) {
      return !isa<hopper::MmaOp>(use.getOwner());
    };
    // Others take what is rounded from there: it is rounded once.
    if (rounds && llvm::any_of(a.getUses(), isOther))
      a.replaceUsesWithIf(
          hopper::AccumulatorReadOp::create(builder, mma.getLoc(), a.getType(),
                                            registers, DenseI64ArrayAttr()),
          isOther);
    return registers;
  }

  /// Whether an operation makes 16-bit floats of f32, as writing to registers
  /// does.
  static bool isRounding(Operation *op) {
    auto rounding = dyn_cast<arith::TruncFOp>(op);
    return rounding &&
           getElementTypeOrSelf(rounding.getIn().getType()).isF32() &&
           getElementTypeOrSelf(rounding.getType()).isFloat(16);
  }

  void readOperands(Operation *op) {
    auto slice = dyn_cast<hopper::SliceOp>(op);
    if (slice && accumulatorOf(slice.getValue())) {
      OpBuilder builder(op);
      Value part = hopper::AccumulatorReadOp::create(
          builder, op->getLoc(), slice.getResult().getType(),
          accumulatorOf(slice.getValue()), slice.getOffsetsAttr());
      slice.getResult().replaceAllUsesWith(part);
      replaced.push_back(slice);
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (accumulatorOf(operand.get()))
        operand.set(valueAt(op, operand.get()));
  }

  /// A value in an accumulator. It is read once for a block, and for the loops
  /// in which it stays the same before them.
  Value valueAt(Operation *op, Value value) {
    Region *home = value.getParentRegion();
    for (Block *block = op->getBlock();;
         block = block->getParentOp()->getBlock()) {
      if (Value known = values.lookup({value, block}))
        return known;
      if (block->getParent() == home)
        break;
    }
    Operation *before = op;
    for (Operation *around = op->getParentOp();
         home->isProperAncestor(around->getParentRegion()) ||
         around->getParentRegion() == home;
         around = around->getParentOp())
      if (isa<scf::ForOp>(around))
        before = around;
    OpBuilder builder(before);
    return values[{value, before->getBlock()}] =
               hopper::AccumulatorReadOp::create(
                   builder, op->getLoc(), value.getType(), accumulatorOf(value),
                   DenseI64ArrayAttr());
  }

  //===-- Control flow ----------------------------------------------------===//

  /// Values that come into a loop or out of a body, and what they are then:
  /// where these are other registers, they are copied.
  void pass(Operation *at, MutableArrayRef<OpOperand> from, ValueRange to) {
    SmallVector<std::pair<Value, Value>> writes;
    for (auto [operand, name] : llvm::zip(from, to)) {
      Value value = operand.get(), target = accumulatorOf(name);
      if (target == accumulatorOf(value))
        continue;
      if (accumulatorOf(value))
        value = valueAt(at, value);
      if (target)
        writes.push_back({value, target});
      else
        operand.set(value);
    }
    // After all have been read.
    OpBuilder builder(at);
    for (auto [value, target] : writes)
      hopper::AccumulatorWriteOp::create(builder, at->getLoc(), value, target);
  }

  void leaveBody(scf::YieldOp yield) {
    Operation *around = yield->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(around);
    pass(yield, yield->getOpOperands(),
         loop ? ValueRange(loop.getRegionIterArgs())
              : ValueRange(around->getResults()));
  }

  /// A loop's results lie where its arguments do, or are copied behind it.
  void leaveLoop(scf::ForOp loop) {
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    SmallVector<std::pair<Value, Value>> writes;
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
      Value from = accumulatorOf(argument), to = accumulatorOf(result);
      if (from == to)
        continue;
      Value value = result;
      if (from)
        value = hopper::AccumulatorReadOp::create(builder, loop.getLoc(),
                                                  result.getType(), from,
                                                  DenseI64ArrayAttr());
      if (to)
        writes.push_back({value, to});
      else
        result.replaceAllUsesWith(value);
    }
    for (auto [value, to] : writes)
      hopper::AccumulatorWriteOp::create(builder, loop.getLoc(), value, to);
  }

  Value placeholder(Type type) {
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    auto value = hopper::UndefinedOp::create(builder, role.getLoc(), type);
    replaced.insert(replaced.begin(), value);
    return value;
  }

  SmallVector<unsigned> notAccumulated(ValueRange values) {
    SmallVector<unsigned> numbers;
    for (auto [i, value] : llvm::enumerate(values))
      if (!accumulatorOf(value))
        numbers.push_back(i);
    return numbers;
  }

  static SmallVector<Value> choose(ValueRange values,
                                   ArrayRef<unsigned> numbers) {
    return llvm::map_to_vector(numbers, [&](unsigned i) { return values[i]; });
  }

  /// Replaces what a terminator gives by some of it.
  static void giveOnly(RewriterBase &rewriter, Block *block,
                       ArrayRef<unsigned> numbers) {
    Operation *yield = block->getTerminator();
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(
        yield, choose(yield->getOperands(), numbers));
  }

  /// Values in the places of `numbers`, and placeholders in the others.
  SmallVector<Value> spread(ValueRange values, ArrayRef<unsigned> numbers,
                            TypeRange types) {
    SmallVector<Value> all(types.size());
    for (auto [value, number] : llvm::zip(values, numbers))
      all[number] = value;
    for (auto [value, type] : llvm::zip(all, types))
      if (!value)
        value = placeholder(type);
    return all;
  }

  static void moveBody(RewriterBase &rewriter, Block *from, Block *to,
                       ValueRange arguments = {}) {
    if (!to->empty())
      rewriter.eraseOp(to->getTerminator());
    rewriter.mergeBlocks(from, to, arguments);
  }

  void carryOthers(scf::ForOp loop) {
    SmallVector<unsigned> kept = notAccumulated(loop.getRegionIterArgs());
    if (kept.size() == loop.getNumResults())
      return;
    IRRewriter rewriter(loop);
    auto carrying = scf::ForOp::create(
        rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
        loop.getStep(), choose(loop.getInitArgs(), kept));
    giveOnly(rewriter, loop.getBody(), kept);
    SmallVector<Value> arguments =
        spread(carrying.getRegionIterArgs(), kept, loop.getResultTypes());
    arguments.insert(arguments.begin(), carrying.getInductionVar());
    moveBody(rewriter, loop.getBody(), carrying.getBody(), arguments);
    rewriter.replaceOp(
        loop, spread(carrying.getResults(), kept, loop.getResultTypes()));
  }

  void giveOthers(scf::IfOp branch) {
    SmallVector<unsigned> kept = notAccumulated(branch.getResults());
    if (kept.size() == branch.getNumResults())
      return;
    IRRewriter rewriter(branch);
    SmallVector<Type> types = llvm::map_to_vector(
        kept, [&](unsigned i) { return branch.getResultTypes()[i]; });
    auto giving =
        scf::IfOp::create(rewriter, branch.getLoc(), types,
                          branch.getCondition(), /*withElseRegion=*/true);
    giveOnly(rewriter, branch.thenBlock(), kept);
    giveOnly(rewriter, branch.elseBlock(), kept);
    moveBody(rewriter, branch.thenBlock(), giving.thenBlock());
    moveBody(rewriter, branch.elseBlock(), giving.elseBlock());
    rewriter.replaceOp(
        branch, spread(giving.getResults(), kept, branch.getResultTypes()));
  }

  hopper::RoleOp role;
  SharedRegisters shared;
  DenseMap<Value, Value> accumulators; ///< by the value that stands for a set
  DenseMap<Value, Value> operands;     ///< registers of what mma takes, by it
  /// What was read of a value for the operations of a block.
  DenseMap<std::pair<Value, Block *>, Value> values;
  /// To be erased, each before what it uses.
  SmallVector<Operation *> replaced;
};

struct HopperAssignAccumulators
    : impl::HopperAssignAccumulatorsBase<HopperAssignAccumulators> {
  void runOnOperation() override {
    for (auto role : getOperation().getBody().getOps<hopper::RoleOp>())
      Assignment(role).run();
  }
};

} // namespace
} // namespace ashlar
