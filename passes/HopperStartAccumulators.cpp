// hopper-start-accumulators: the sums of a loop that begin as zeros are
// overwritten by its first product, so that nobody writes the zeros; but where
// the loop does not run.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Passes.h"
#include "passes/ZeroFragment.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERSTARTACCUMULATORS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// The mma in a loop that adds to an argument of it in each iteration, if
/// nothing else uses the argument.
hopper::MmaOp onlyProduct(scf::ForOp loop, BlockArgument argument) {
  if (!argument.hasOneUse())
    return {};
  auto mma = dyn_cast<hopper::MmaOp>(*argument.user_begin());
  return mma && mma.getAccumulator() == argument &&
                 mma->getBlock() == loop.getBody() && !mma.getOverwrite()
             ? mma
             : hopper::MmaOp();
}

bool isKnownToRun(scf::ForOp loop) {
  auto trips = loop.getStaticTripCount();
  return trips && trips->getSExtValue() > 0;
}

/// Behind a loop that may not run, its results or what they were to begin as:
/// in one branch, for ptxas understands one write of accumulators behind what
/// may have written them, and LLVM joins what has the same condition.
void selectResults(scf::ForOp loop, ArrayRef<std::pair<Value, Value>> sums) {
  OpBuilder builder(loop->getContext());
  builder.setInsertionPointAfter(loop);
  Location loc = loop.getLoc();
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto yield = [&](auto member) {
    return [&, member](OpBuilder &arm, Location) {
      scf::YieldOp::create(arm, loc, llvm::map_to_vector(sums, [&](auto &sum) {
                             return sum.*member;
                           }));
    };
  };
  using Sum = std::pair<Value, Value>;
  auto select = scf::IfOp::create(builder, loc, runs, yield(&Sum::first),
                                  yield(&Sum::second));
  for (auto [sum, selected] : llvm::zip(sums, select.getResults()))
    Value(sum.first).replaceUsesWithIf(selected, [&](OpOperand &use) {
      return !select->isAncestor(use.getOwner());
    });
}

void overwriteZeros(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value isFirst;
  SmallVector<std::pair<Value, Value>> sums; // with their zeros
  for (BlockArgument argument : loop.getRegionIterArgs()) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    hopper::MmaOp mma = onlyProduct(loop, argument);
    Value zeros = init->get();
    if (!mma || !isZero(zeros))
      continue;
    builder.setInsertionPoint(loop);
    init->set(hopper::UndefinedOp::create(builder, loc, argument.getType()));
    if (!isFirst) {
      builder.setInsertionPointToStart(loop.getBody());
      isFirst =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                loop.getInductionVar(), loop.getLowerBound());
    }
    mma.getOverwriteMutable().assign(isFirst);
    if (Value result = loop.getTiedLoopResult(argument); !result.use_empty())
      sums.push_back({result, zeros});
  }
  if (!sums.empty() && !isKnownToRun(loop))
    selectResults(loop, sums);
}

struct HopperStartAccumulators
    : impl::HopperStartAccumulatorsBase<HopperStartAccumulators> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) { overwriteZeros(loop); });
  }
};

} // namespace
} // namespace ashlar
