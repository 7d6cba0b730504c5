#include "passes/ZeroFragment.h"
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

scf::IfOp AccumulatingLoop::schedule() {
  for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>())
    wgmma.setFence(true);

  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  unsigned before = loop.getNumResults();
  bool isPeeled = beginsWithManyZeros();
  scf::IfOp branch = guard(builder, loop);
  Block *atLeastOnce = branch.thenBlock();
  hopper::OncePerWarpOp ahead = takeAhead();
  loop->moveBefore(atLeastOnce, atLeastOnce->end());
  IRMapping first;
  if (isPeeled)
    first = peelFirst();
  else
    overwriteZeros();
  carryStages(first);

  builder.setInsertionPointAfter(lastWgmma());
  commitAndWait(builder, last.back().getLoc(), accumulators(), 1);
  if (!isPeeled && !releases.empty()) {
    Value hasBefore =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), loop.getLowerBound());
    auto release = scf::IfOp::create(builder, loc, hasBefore);
    builder.setInsertionPointToStart(release.thenBlock());
  }
  for (auto [i, release] : llvm::enumerate(releases))
    emitArrivals(builder, release, loop.getRegionIterArg(before + i));

  builder.setInsertionPointAfter(loop);
  if (ahead) {
    ahead->moveBefore(atLeastOnce, atLeastOnce->end());
    OpBuilder(branch.elseYield()).clone(*ahead);
    builder.setInsertionPointAfter(ahead);
  }
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
  return branch;
}

/// What tells others something after the loop that is true before its last
/// group is complete, if nothing but what it needs is between. What it needs
/// goes before the loop.
hopper::OncePerWarpOp AccumulatingLoop::takeAhead() {
  Operation *guarded = loop->getPrevNode();
  for (Operation *op = loop->getNextNode(); op;) {
    Operation *next = op->getNextNode();
    auto told = dyn_cast<hopper::OncePerWarpOp>(op);
    if (told && told.getAhead())
      return told;
    bool needsSums = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == guarded;
    });
    if (!isPure(op) || needsSums)
      return {};
    op->moveBefore(guarded);
    op = next;
  }
  return {};
}

/// Sums that a loop may overwrite in its first iteration are alive around it,
/// from one tile to the next: an epilogue that takes them as a whole can't use
/// the registers of those that it has stored.
bool AccumulatingLoop::beginsWithManyZeros() {
  constexpr int64_t many = 128;
  int64_t each = 0;
  for (unsigned number : carriedAt)
    if (!llvm::all_of(loop.getResult(number).getUsers(),
                      llvm::IsaPred<hopper::SliceOp>))
      each += registersEach(loop, loop.getResultTypes()[number]);
  return each > many && llvm::any_of(carriedAt, [&](unsigned number) {
           return isZero(loop.getInits()[number]);
         });
}

/// The first iteration before the loop: it has no group to wait for, and
/// overwrites accumulators that begin as zeros.
IRMapping AccumulatingLoop::peelFirst() {
  OpBuilder builder(loop);
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
  loop.setLowerBound(arith::AddIOp::create(
      builder, loop.getLoc(), loop.getLowerBound(), loop.getStep()));
  loop.getInitArgsMutable().assign(
      llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
        return first.lookupOrDefault(value);
      }));
  return first;
}

/// The first iteration in the loop overwrites accumulators that begin as zeros,
/// so that nobody writes these.
void AccumulatingLoop::overwriteZeros() {
  OpBuilder builder(loop);
  Value isFirst;
  for (auto wgmma : loop.getBody()->getOps<hopper::WgmmaOp>()) {
    auto carried = dyn_cast<BlockArgument>(wgmma.getAccumulator());
    OpOperand *init = carried ? loop.getTiedLoopInit(carried) : nullptr;
    if (!init || !isZero(init->get()))
      continue;
    builder.setInsertionPoint(loop);
    init->set(
        hopper::UndefinedOp::create(builder, loop.getLoc(), carried.getType()));
    if (!isFirst) {
      builder.setInsertionPointToStart(loop.getBody());
      isFirst = arith::CmpIOp::create(
          builder, loop.getLoc(), arith::CmpIPredicate::eq,
          loop.getInductionVar(), loop.getLowerBound());
    }
    wgmma.getOverwriteMutable().assign(isFirst);
  }
}

/// The loop carries the stages of the iteration before: those of the first
/// before it, if that is there.
void AccumulatingLoop::carryStages(const IRMapping &first) {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Value none = arith::ConstantIndexOp::create(rewriter, loop.getLoc(), 0);
  SmallVector<Value> stages, before;
  for (auto release : releases) {
    stages.push_back(release.getStage());
    before.push_back(first.getValueMap().empty()
                         ? none
                         : first.lookupOrDefault(release.getStage()));
  }
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, before, /*replaceInitOperandUsesInLoop=*/false,
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
