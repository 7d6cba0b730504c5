#include "passes/hopper_schedule_wgmma/Loops.h"

namespace ashlar {

using namespace mlir;

std::optional<AccumulatingLoop> AccumulatingLoop::match(scf::ForOp loop) {
  AccumulatingLoop result(loop);
  Operation *lastWgmma = nullptr;
  for (Operation &op : *loop.getBody()) {
    if (auto release = dyn_cast<hopper::ReleaseOp>(op)) {
      result.releases.push_back(release);
      // With none to spare its next fill waits for this very release.
      if (release.getStages() < 2)
        return std::nullopt;
      continue;
    }
    auto wgmma = dyn_cast<hopper::WgmmaOp>(op);
    if (!wgmma) {
      if (!leavesGroupsAlone(op))
        return std::nullopt;
      continue;
    }
    if (!result.releases.empty() || !wgmma.getResult().hasOneUse())
      return std::nullopt;
    lastWgmma = wgmma;
    Operation *user = *wgmma.getResult().user_begin();
    if (isa<hopper::WgmmaOp>(user) && user->getBlock() == loop.getBody())
      continue;
    if (!isa<scf::YieldOp>(user))
      return std::nullopt;
    unsigned number = wgmma.getResult().use_begin()->getOperandNumber();
    Value chain = wgmma.getAccumulator();
    while (auto before = chain.getDefiningOp<hopper::WgmmaOp>())
      chain = before.getAccumulator();
    if (chain != loop.getRegionIterArg(number) || !chain.hasOneUse())
      return std::nullopt;
    result.last.push_back(wgmma);
    result.carriedAt.push_back(number);
  }
  return lastWgmma ? std::optional(result) : std::nullopt;
}

void AccumulatingLoop::schedule() {
  for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>())
    wgmma.setFence(true);

  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  unsigned before = loop.getNumResults();
  Block *atLeastOnce = guard(builder, loop);
  builder.setInsertionPointToStart(atLeastOnce);
  IRMapping first = peelFirst(builder);
  loop->moveBefore(atLeastOnce, atLeastOnce->end());
  startAfter(first);

  builder.setInsertionPointAfter(lastWgmma());
  commitAndWait(builder, last.back().getLoc(), accumulators(), 1);
  for (auto [i, release] : llvm::enumerate(releases))
    emitArrivals(builder, release, loop.getRegionIterArg(before + i));

  builder.setInsertionPointAfter(loop);
  SmallVector<Value> results(loop.getResults().take_front(before)), carried;
  for (unsigned number : carriedAt)
    carried.push_back(results[number]);
  for (auto [number, value] :
       llvm::zip(carriedAt, waitFor(builder, loc, carried, 0)))
    results[number] = value;
  for (auto [i, release] : llvm::enumerate(releases))
    emitArrivals(builder, release, loop.getResult(before + i));
  scf::YieldOp::create(builder, loc, results);
  for (auto release : releases)
    release.erase();
}

/// The first iteration, which has no group to wait for, and overwrites
/// accumulators that begin as zeros.
IRMapping AccumulatingLoop::peelFirst(OpBuilder &builder) {
  IRMapping first;
  first.map(loop.getInductionVar(), loop.getLowerBound());
  first.map(loop.getRegionIterArgs(), loop.getInits());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<hopper::ReleaseOp>(op))
      continue;
    builder.clone(op, first);
    if (&op == lastWgmma())
      hopper::WgmmaCommitOp::create(builder, op.getLoc());
  }
  return first;
}

/// The loop goes on after its first iteration, and carries the stages of the
/// iteration before.
void AccumulatingLoop::startAfter(IRMapping &first) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  auto inFirst = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return first.lookupOrDefault(value); });
  };
  SmallVector<Value> stages;
  for (auto release : releases)
    stages.push_back(release.getStage());
  loop.setLowerBound(arith::AddIOp::create(
      rewriter, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
  loop.getInitArgsMutable().assign(inFirst(loop.getYieldedValues()));
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inFirst(stages), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return stages; }));
}

Operation *AccumulatingLoop::lastWgmma() {
  Operation *result = nullptr;
  for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>())
    result = wgmma;
  return result;
}

SmallVector<Value> AccumulatingLoop::accumulators() {
  return llvm::map_to_vector(last,
                             [](auto op) { return Value(op.getResult()); });
}

} // namespace ashlar
