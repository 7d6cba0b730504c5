#include "passes/stages/Turns.h"

#include "passes/CarriedValues.h"
#include "passes/InRole.h"
#include "passes/stages/StagesOfTile.h"
#include "llvm/ADT/MapVector.h"

namespace ashlar {

using namespace mlir;

namespace {

tile::InTurnsOp turnsOf(scf::ForOp loop) {
  Value step = loop.getStep();
  if (auto extended = step.getDefiningOp<arith::IndexCastOp>())
    step = extended.getIn();
  return step.getDefiningOp<tile::InTurnsOp>();
}

/// How many stages of each pipeline an iteration takes.
using Takes = llvm::SmallMapVector<SideOfPipeline, int64_t, 2>;

/// Shares out the iterations of a role's loops in turns.
class Turns {
public:
  explicit Turns(tile::RoleOp role)
      : role(role), instances(int64_t(role.getInstances())) {
    role.walk([&](scf::ForOp loop) {
      if (turnsOf(loop))
        loops.push_back(loop);
    });
  }

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult checkLoop(scf::ForOp loop);
  /// All loops take the same stages in each iteration, or none.
  LogicalResult countTakes(scf::ForOp loop);
  /// Takes this instance's turns of a loop, of which instance `turn` has the
  /// first. Returns whose the first of the next loop is.
  Value take(scf::ForOp loop, Value turn);
  void skip(OpBuilder &builder, Location loc, Value iterations);

  tile::RoleOp role;
  int64_t instances;
  SmallVector<scf::ForOp> loops;
  Takes takes;
};

LogicalResult Turns::checkLoop(scf::ForOp loop) {
  if (isInTurns(loop))
    return refuseInTurns(loop)
           << "it stands in another such loop: let one of them "
              "be a range without in_turns";
  if (loop.getNumResults())
    return refuseInTurns(loop)
           << "a variable is carried from one to the next, which "
              "another group of warps runs: let each iteration "
              "depend on its index alone";
  for (auto last : loop.getBody()->getOps<tile::LastIfOp>())
    return refuseInTurns(last)
           << "last_if ends it, which the other groups of warps "
              "can't tell: give the loop its end";
  auto meets = loop.getBody()->walk([](Operation *op) {
    return isa<tile::SyncOp, tile::ArriveOp, tile::ClusterSyncOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (meets.wasInterrupted())
    return refuseInTurns(loop)
           << "what the groups of warps meet at, or arrive at, "
              "counts all of them, of which one may have an "
              "iteration less: meet and arrive behind it";
  return countTakes(loop);
}

LogicalResult Turns::countTakes(scf::ForOp loop) {
  Takes own;
  for (Operation &op : *loop.getBody())
    for (SideOfPipeline stages : stagesTakenIn(&op)) {
      if (!isa<tile::AcquireOp, tile::WaitOp>(op))
        return refuseInTurns(&op)
               << "whether it takes a stage here, or how many, is "
                  "not known to the other groups of warps: take "
                  "stages directly in the loop";
      ++own[stages];
    }
  if (takes.empty())
    takes = own;
  auto isAlike = [&](auto &stages) {
    return takes.lookup(stages.first) == stages.second;
  };
  if (!own.empty() &&
      (own.size() != takes.size() || !llvm::all_of(own, isAlike)))
    return refuseInTurns(loop)
           << "it takes other stages than the role's loop in "
              "turns before it: take the same ones in each";
  return success();
}

/// The same instance always takes the same stage of a ring, and has waited for
/// the phase before: a parity tells the next one.
LogicalResult Turns::check() {
  for (scf::ForOp loop : loops)
    if (failed(checkLoop(loop)))
      return failure();
  for (auto [stages, each] : takes) {
    const auto ring = cast<tile::PipelineType>(stages.first.getType());
    if (ring.getStages() % (each * instances))
      return refuseInTurns(loops.front())
             << "its " << instances << " groups of warps share out a pipeline "
             << "of " << ring.getStages() << " stages, of which each has its "
             << "own: give it a multiple of " << each * instances << ", "
             << each << " for each group";
  }
  auto isOutside = [&](Operation *op) -> WalkResult {
    for (SideOfPipeline stages : op->getNumRegions()
                                     ? llvm::SetVector<SideOfPipeline>()
                                     : stagesTakenIn(op))
      if (takes.contains(stages) && !isInTurns(op))
        return refuseStageOfAll(op);
    return WalkResult::advance();
  };
  return failure(role.walk(isOutside).wasInterrupted());
}

/// Passes by the stages of so many iterations.
void Turns::skip(OpBuilder &builder, Location loc, Value iterations) {
  Arithmetic a{builder, loc};
  if (!iterations.getType().isIndex())
    iterations = arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), iterations);
  for (auto [stages, each] : takes)
    tile::SkipOp::create(builder, loc, stages.first, a.mul(iterations, each),
                         stages.second == Side::filling);
}

Value Turns::take(scf::ForOp loop, Value turn) {
  OpBuilder before(loop), end(loop.getBody()->getTerminator());
  Location loc = loop.getLoc();
  Arithmetic a{before, loc}, b{end, loc};
  Value low = loop.getLowerBound(), high = loop.getUpperBound(),
        step = loop.getStep();
  // Iterations behind one, up to the loop's end.
  auto behind = [&](Arithmetic in, Value at) {
    return in.div(in.sub(in.sub(high, at), in.constant(1, at)), step);
  };
  Value isAny =
      arith::CmpIOp::create(before, loc, arith::CmpIPredicate::slt, low, high);
  Value count = a.select(isAny, a.add(behind(a, low), 1), a.constant(0, low));
  auto like = [&](Value number) -> Value {
    return low.getType().isIndex()
               ? number
               : arith::IndexCastOp::create(before, loc, low.getType(), number);
  };
  Value place =
      like(a.rem(a.sub(a.add(instance(a, role), instances), turn), instances));
  const bool takesStages = !stagesTakenIn(loop).empty();
  if (takesStages) {
    skip(before, loc, a.min(place, count));
    skip(end, loc,
         b.min(behind(b, loop.getInductionVar()),
               b.constant(instances - 1, low)));
  }
  loop.getLowerBoundMutable().assign(a.add(low, a.mul(place, step)));
  loop.getStepMutable().assign(a.mul(step, instances));
  if (!takesStages)
    return turn;
  Value taken = a.rem(count, instances);
  if (!taken.getType().isIndex())
    taken =
        arith::IndexCastOp::create(before, loc, before.getIndexType(), taken);
  return a.rem(a.add(turn, taken), instances);
}

LogicalResult Turns::run() {
  if (instances > 1 && failed(check()))
    return failure();
  SmallVector<tile::InTurnsOp> ops;
  role.walk([&](tile::InTurnsOp op) { ops.push_back(op); });
  if (instances > 1) {
    // Each loop has its turns right before it.
    for (scf::ForOp loop : loops) {
      OpBuilder builder(loop);
      loop.getStepMutable().assign(tile::InTurnsOp::create(
          builder, loop.getLoc(), loop.getStep().getType(), loop.getStep()));
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    Value first = Arithmetic{builder, role.getLoc()}.constant(0);
    CarriedValues(
        [&](Operation *op) -> CarriedValues::Numbers {
          if (isa<tile::InTurnsOp>(op) && !llvm::is_contained(ops, op))
            return {0};
          return {};
        },
        [&](Operation *op, CarriedValues::Values values) {
          auto turns = cast<tile::InTurnsOp>(op);
          auto loop = cast<scf::ForOp>(*turns->getUsers().begin());
          loop.getStepMutable().assign(turns.getStep());
          turns.erase();
          values[0] = take(loop, values[0]);
        })
        .follow(role.getBody().front(), first);
  }
  for (tile::InTurnsOp op : ops) {
    op.replaceAllUsesWith(op.getStep());
    op.erase();
  }
  return success();
}

} // namespace

bool isInTurns(Operation *op) {
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (turnsOf(loop))
      return true;
  return false;
}

bool hasTurns(Operation *op) {
  auto stop = [](scf::ForOp loop) {
    return turnsOf(loop) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return op->walk(stop).wasInterrupted();
}

InFlightDiagnostic refuseInTurns(Operation *op) {
  return op->emitError("role '")
         << tile::roleOf(op).getName()
         << "' takes the iterations of a loop in turns, and ";
}

LogicalResult refuseStageOfAll(Operation *take) {
  return take->emitError("role '")
         << tile::roleOf(take).getName()
         << "' has several groups of warps, and the stage that it takes here "
            "belongs to none of them: take it in a loop over "
            "in_turns(range(1))";
}

LogicalResult takeTurns(tile::RoleOp role) { return Turns(role).run(); }

} // namespace ashlar
