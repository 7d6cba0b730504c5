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
  return mma && mma->getBlock() == loop.getBody() && !mma.getOverwrite()
             ? mma
             : hopper::MmaOp();
}

bool isKnownToRun(scf::ForOp loop) {
  auto trips = loop.getStaticTripCount();
  return trips && trips->getSExtValue() > 0;
}

void overwriteZeros(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value isFirst;
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

    Value result = loop.getTiedLoopResult(argument);
    if (isKnownToRun(loop) || result.use_empty())
      continue;
    builder.setInsertionPointAfter(loop);
    Value runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    auto sum = scf::IfOp::create(
        builder, loc, runs,
        [&](OpBuilder &then, Location) {
          scf::YieldOp::create(then, loc, result);
        },
        [&](OpBuilder &otherwise, Location) {
          scf::YieldOp::create(otherwise, loc, zeros);
        });
    result.replaceUsesWithIf(sum.getResult(0), [&](OpOperand &use) {
      return !sum->isAncestor(use.getOwner());
    });
  }
}

struct HopperStartAccumulators
    : impl::HopperStartAccumulatorsBase<HopperStartAccumulators> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) { overwriteZeros(loop); });
  }
};

} // namespace
} // namespace ashlar
