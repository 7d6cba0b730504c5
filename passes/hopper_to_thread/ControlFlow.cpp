// Loops and branches carry a fragment as the registers that hold it; what one
// thread does is a branch.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/Matchers.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

Value isFirst(ThreadBuilder &b, Value number) {
  return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::eq, number,
                               b.i32(0));
}

/// Runs a region by one thread of each warp, or by so many of its first ones,
/// after the warp has met.
FailureOr<Registers> oncePerWarp(ThreadBuilder &b, Region &region,
                                 int64_t lanes = 1) {
  b.ptx("bar.warp.sync 0xffffffff;");
  b.runIf(lanes == 1 ? b.elect() : b.lessThan(b.laneOfWarp(), b.i32(lanes)),
          region);
  return Registers();
}

/// What a loop or a branch gives on.
class YieldLowering : public OpConversionPattern<scf::YieldOp> {
public:
  YieldLowering(const TypeConverter &types, MLIRContext *mlir,
                const ThreadContext &context)
      : OpConversionPattern(types, mlir, /*benefit=*/2), context(context) {}

  LogicalResult
  matchAndRewrite(scf::YieldOp op, OneToNOpAdaptor in,
                  ConversionPatternRewriter &rewriter) const override {
    Registers all;
    for (ValueRange registers : in.getOperands())
      llvm::append_range(all, registers);
    ThreadBuilder b(rewriter, op, context);
    if (isa<scf::IfOp>(op->getParentOp()))
      keepHere(b, all);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, all);
    return success();
  }

private:
  /// Constants of a branch would otherwise be written to the registers of a
  /// fragment before it, on the way to the other branch too.
  static void keepHere(PtxBuilder &b, MutableArrayRef<Value> registers) {
    llvm::SmallDenseMap<Value, Value> kept;
    for (Value &value : registers) {
      if (!value.getType().isF32() || !matchPattern(value, m_Constant()))
        continue;
      Value &copy = kept[value];
      if (!copy)
        copy = b.ptx("mov.b32 $0, $1;", b.getF32Type(), value)[0];
      value = copy;
    }
  }

  const ThreadContext &context;
};

} // namespace

static FailureOr<Registers> lower(hopper::OnceOp op, Operands<hopper::OnceOp>,
                                  ThreadBuilder &b) {
  if (!b.role) {
    b.runIf(isFirst(b, b.context.thread), op.getBody());
    return Registers();
  }
  if (b.role.getWarps() == 1) {
    b.runIf(b.elect(), op.getBody());
    return Registers();
  }
  auto first = scf::IfOp::create(b, b.loc, isFirst(b, b.warpOfRole()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  b.runIf(b.elect(), op.getBody());
  return Registers();
}

static FailureOr<Registers> lower(hopper::OncePerWarpOp op,
                                  Operands<hopper::OncePerWarpOp>,
                                  ThreadBuilder &b) {
  return oncePerWarp(b, op.getBody(), op.getLanes());
}

static FailureOr<Registers>
lower(hopper::ReleaseOp op, Operands<hopper::ReleaseOp> in, ThreadBuilder &b) {
  if (!op.getCondition())
    return oncePerWarp(b, op.getBody());
  auto branch = scf::IfOp::create(b, b.loc, one(in.getCondition()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  return oncePerWarp(b, op.getBody());
}

/// A loop whose iterations carry whether there is another one.
static void endEarly(scf::ForOp loop) {
  OpBuilder builder(loop);
  const Location loc = loop.getLoc();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  builder.setInsertionPoint(yield);
  Value isLast;
  for (auto op :
       llvm::make_early_inc_range(loop.getBody()->getOps<hopper::LastIfOp>())) {
    isLast = isLast ? Value(arith::OrIOp::create(builder, loc, isLast,
                                                 op.getCondition()))
                    : op.getCondition();
    op.erase();
  }
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 1);
  SmallVector<Value> next{arith::AddIOp::create(builder, loc,
                                                loop.getInductionVar(),
                                                loop.getStep()),
                          arith::XOrIOp::create(builder, loc, isLast, one)};
  llvm::append_range(next, yield.getOperands());

  builder.setInsertionPoint(loop);
  SmallVector<Value> first{loop.getLowerBound(),
                           arith::ConstantIntOp::create(builder, loc, 1, 1)};
  llvm::append_range(first, loop.getInitArgs());
  auto whileLoop = scf::WhileOp::create(
      builder, loc, ValueRange(first).getTypes(), first,
      [&](OpBuilder &at, Location, ValueRange carried) {
        Value isBelow =
            arith::CmpIOp::create(at, loc, arith::CmpIPredicate::slt,
                                  carried[0], loop.getUpperBound());
        scf::ConditionOp::create(
            at, loc, arith::AndIOp::create(at, loc, isBelow, carried[1]),
            carried);
      },
      [&](OpBuilder &at, Location, ValueRange) {
        scf::YieldOp::create(at, loc, first);
      });
  Block &body = whileLoop.getAfter().front();
  body.getTerminator()->erase();
  loop.getInductionVar().replaceAllUsesWith(body.getArgument(0));
  for (auto [argument, carried] :
       llvm::zip(loop.getRegionIterArgs(), body.getArguments().drop_front(2)))
    argument.replaceAllUsesWith(carried);
  yield->setOperands({});
  builder.setInsertionPoint(yield);
  // What the list names has moved with its uses.
  SmallVector<Value> given;
  for (Value value : next) {
    auto argument = dyn_cast<BlockArgument>(value);
    given.push_back(argument && argument.getOwner() == loop.getBody()
                        ? body.getArgument(argument.getArgNumber() == 0
                                               ? 0
                                               : argument.getArgNumber() + 1)
                        : value);
  }
  scf::YieldOp::create(builder, loc, given);
  yield.erase();
  body.getOperations().splice(body.end(), loop.getBody()->getOperations());
  loop.replaceAllUsesWith(whileLoop.getResults().drop_front(2));
  loop.erase();
}

void endLoopsEarly(LLVM::LLVMFuncOp function) {
  llvm::SetVector<scf::ForOp> loops;
  function.walk([&](hopper::LastIfOp op) {
    loops.insert(cast<scf::ForOp>(op->getParentOp()));
  });
  for (scf::ForOp loop : loops)
    endEarly(loop);
}

void ThreadPatterns::addLoopsAndBranches() {
  scf::populateSCFStructuralTypeConversions(types, set);
}

void addControlFlow(ThreadPatterns &patterns) {
  patterns.add<hopper::OnceOp, hopper::OncePerWarpOp, hopper::ReleaseOp>();
  patterns.addAny<YieldLowering>();
  patterns.addLoopsAndBranches();
}

} // namespace ashlar
