#include "compiler/target/Target.h"
#include "passes/Arithmetic.h"
#include "passes/ZeroFragment.h"
#include "passes/hopper_schedule_wgmma/Loops.h"

namespace ashlar {

using namespace mlir;

std::optional<AddingLoop> AddingLoop::match(scf::ForOp loop) {
  AddingLoop result(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto release = dyn_cast<hopper::ReleaseOp>(op)) {
      // With none to spare its next fill waits for this very release.
      if (!result.addition || release.getStages() < 2)
        return std::nullopt;
      result.releases.push_back(release);
    } else if (auto wgmma = dyn_cast<hopper::WgmmaOp>(op)) {
      if (result.wgmma || !isZero(wgmma.getAccumulator()) ||
          !wgmma.getResult().hasOneUse())
        return std::nullopt;
      result.wgmma = wgmma;
      result.addition =
          dyn_cast<arith::AddFOp>(*wgmma.getResult().user_begin());
    } else if (!leavesGroupsAlone(op)) {
      return std::nullopt;
    }
  }
  arith::AddFOp addition = result.addition;
  if (!addition || addition->getBlock() != loop.getBody() ||
      !addition.getResult().hasOneUse())
    return std::nullopt;
  OpOperand &use = *addition.getResult().use_begin();
  if (!isa<scf::YieldOp>(use.getOwner()))
    return std::nullopt;
  result.sumAt = use.getOperandNumber();
  Value sum = addition.getLhs() == result.wgmma.getResult() ? addition.getRhs()
                                                            : addition.getLhs();
  if (sum != loop.getRegionIterArg(result.sumAt) || !sum.hasOneUse() ||
      !result.hasRegisters())
    return std::nullopt;
  return result;
}

/// For the sum, the product in flight and the one that is added.
bool AddingLoop::hasRegisters() {
  auto role = loop->getParentOfType<hopper::RoleOp>();
  int64_t registers = role.getRegisters();
  if (!registers)
    registers = target::entryRegisters(
        role->getParentOfType<hopper::KernelOp>().getThreads());
  return 3 * registersEach(loop, addition.getType()) +
             target::registersBesideFragments <=
         registers;
}

void AddingLoop::schedule() {
  wgmma.setFence(true);
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value low = loop.getLowerBound(), high = loop.getUpperBound();
  Value step = loop.getStep();
  Arithmetic a{builder, loc};
  // The first iteration, then two at a time, each into the registers that the
  // one before the last has left, then one more if there is one.
  builder.setInsertionPointToStart(guard(builder, loop).thenBlock());
  Value stepLessOne = a.sub(step, a.constant(1));
  Value count = a.div(a.add(a.sub(high, low), stepLessOne), step);
  Value last = a.add(low, a.mul(a.sub(count, a.constant(1)), step));
  Value init = loop.getInits()[sumAt];
  auto pack = [&](Value sum, const InFlight &state) {
    SmallVector<Value> values{sum, state.product};
    llvm::append_range(values, state.stages);
    for (auto [i, value] : llvm::enumerate(state.carried))
      if (i != sumAt)
        values.push_back(value);
    return values;
  };
  auto unpack = [&](ValueRange values) {
    InFlight state;
    state.product = values[1];
    llvm::append_range(state.stages, values.slice(2, releases.size()));
    llvm::append_range(state.carried, values.drop_front(2 + releases.size()));
    state.carried.insert(state.carried.begin() + sumAt, init);
    return state;
  };
  auto pairs =
      scf::ForOp::create(builder, loc, a.add(low, step), last, a.mul(step, 2),
                         pack(init, issue(builder, low, loop.getInits())));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(pairs.getBody());
    InFlight earlier = unpack(pairs.getRegionIterArgs());
    Value number = pairs.getInductionVar();
    InFlight odd = issue(builder, number, earlier.carried);
    Value partial =
        add(builder, pairs.getRegionIterArg(0), earlier, /*pending=*/1);
    InFlight even = issue(builder, a.add(number, step), odd.carried);
    scf::YieldOp::create(builder, loc,
                         pack(add(builder, partial, odd, 1), even));
  }
  addRest(builder, pairs.getResult(0), unpack(pairs.getResults()), count, last);
  loop.erase();
}

/// After the pairs: one iteration more where their number is even, with the
/// first, and the additions that are left.
void AddingLoop::addRest(OpBuilder &builder, Value sum, const InFlight &before,
                         Value count, Value last) {
  Location loc = loop.getLoc();
  Arithmetic a{builder, loc};
  Value isOneMore = a.equal(a.rem(count, 2), 0);
  auto rest = scf::IfOp::create(builder, loc, loop.getResultTypes(), isOneMore,
                                /*withElseRegion=*/true);
  auto yield = [&](Value all, ValueRange carried) {
    SmallVector<Value> results(carried);
    results[sumAt] = all;
    scf::YieldOp::create(builder, loc, results);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(rest.thenBlock());
    InFlight one = issue(builder, last, before.carried);
    Value partial = add(builder, sum, before, 1);
    yield(add(builder, partial, one, 0), one.carried);
    builder.setInsertionPointToStart(rest.elseBlock());
    yield(add(builder, sum, before, 0), before.carried);
  }
  scf::YieldOp::create(builder, loc, rest.getResults());
}

/// One iteration up to its group, which stays in flight.
AddingLoop::InFlight AddingLoop::issue(OpBuilder &builder, Value number,
                                       ValueRange carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), number);
  map.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == addition || isa<hopper::ReleaseOp>(op))
      continue;
    builder.clone(op, map);
    if (&op == wgmma)
      hopper::WgmmaCommitOp::create(builder, op.getLoc());
  }
  InFlight iteration;
  iteration.product = map.lookup(wgmma.getResult());
  for (hopper::ReleaseOp release : releases)
    iteration.stages.push_back(map.lookupOrDefault(release.getStage()));
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    iteration.carried.push_back(i == sumAt ? carried[i]
                                           : map.lookupOrDefault(value));
  return iteration;
}

/// Waits for an iteration's group, releases its stages and adds its product.
Value AddingLoop::add(OpBuilder &builder, Value sum, const InFlight &iteration,
                      int64_t pending) {
  Value product =
      waitFor(builder, wgmma.getLoc(), iteration.product, pending).front();
  for (auto [release, stage] : llvm::zip(releases, iteration.stages))
    emitArrivals(builder, release, stage);
  return arith::AddFOp::create(builder, addition.getLoc(), sum, product);
}

} // namespace ashlar
