// tile-verify-protocol: every stage is acquired, written and committed, or
// waited for, read and released, in this order and on every path.
//
// Each role is walked in program order with the stages that it holds. This is a
// structural check: it sees one role at a time, and of loops one iteration.
// What a loop or a branch carries is held under one name at a time: the value
// that it was before is given up, so that each stage is one value's alone.

#include "compiler/tile/Stages.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "passes/Passes.h"
#include "passes/PeerCopies.h"
#include "passes/SharedMemory.h"
#include "passes/stages/StageCounts.h"
#include "passes/stages/TileLoops.h"
#include "passes/stages/Writes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEVERIFYPROTOCOL
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A stage in the hands of a role.
struct Holding {
  enum State {
    offered, ///< by try_acquire or try_wait, outside the branch that is ready
    open,    ///< acquired or waited for
    closed,  ///< committed or released
    carried, ///< by a loop or a branch, whose value it is from there on
    reported
  } state;
  Operation *closedBy = nullptr; ///< or carried by

  bool isGone() const { return state == closed || state == carried; }
};

struct Path {
  llvm::MapVector<Value, Holding> stages;
  StageCounts counts;

  int64_t countOpen(Value pipeline, bool acquired) const {
    return llvm::count_if(stages, [&](auto &entry) {
      return entry.second.state == Holding::open &&
             isAcquired(entry.first) == acquired &&
             tile::pipelineOf(entry.first) == pipeline;
    });
  }
};

/// The `ready` flags that are true where `condition` is `truth`.
void collectReady(Value condition, bool truth,
                  llvm::SmallPtrSetImpl<Operation *> &ready) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return;
  if (isa<tile::TryAcquireOp, tile::TryWaitOp>(op)) {
    if (truth)
      ready.insert(op);
  } else if (isa<arith::XOrIOp>(op) &&
             matchPattern(op->getOperand(1), m_One())) {
    collectReady(op->getOperand(0), !truth, ready);
  } else if ((isa<arith::AndIOp>(op) && truth) ||
             (isa<arith::OrIOp>(op) && !truth)) {
    for (Value operand : op->getOperands())
      collectReady(operand, truth, ready);
  }
}

/// Walks one role.
class RoleProtocol {
public:
  RoleProtocol(tile::RoleOp role, Traffic &traffic)
      : role(role), traffic(traffic) {}

  LogicalResult run() {
    Path path;
    walk(role.getBody().front(), path, "the role");
    return success(!failed);
  }

private:
  /// Refuses at `op`, with a note at the operation that it is in conflict with.
  void refuse(Operation *op, const Twine &message, Operation *other,
              const Twine &note) {
    InFlightDiagnostic error = op->emitError(message);
    error.attachNote(other->getLoc()) << note;
    failed = true;
  }

  /// `own`: the stages that the block begins with.
  void walk(Block &block, Path &path, StringRef place,
            SmallVector<Value> own = {}) {
    for (Operation &op : block) {
      if (isa<tile::AcquireOp, tile::TryAcquireOp, tile::WaitOp,
              tile::TryWaitOp>(op)) {
        own.push_back(op.getResults().back());
        take(op, path);
      } else if (isa<tile::CommitOp, tile::ReleaseOp>(op)) {
        close(op, path);
      } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
        walkLoop(loop, path);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        walkBranch(branch, path);
      } else if (isa<scf::YieldOp>(op)) {
        for (auto [value, result] :
             llvm::zip(op.getOperands(), block.getParentOp()->getResults()))
          if (isa<tile::StageType>(value.getType()))
            path.stages[result] = carry(op, value, path);
      } else if (!isa<tile::PartOp, tile::ViewOp>(op)) {
        for (Value operand : op.getOperands())
          if (isa<tile::SharedType>(operand.getType()))
            if (auto buffer = tile::bufferOf(operand))
              use(op, buffer, path);
      }
    }
    for (Value stage : own) {
      leave(stage, path.stages[stage], place);
      path.stages.erase(stage);
    }
  }

  /// A stage that was taken in a block does not outlive it.
  void leave(Value stage, const Holding &holding, StringRef place) {
    if (holding.state != Holding::open && holding.state != Holding::offered)
      return;
    tile::takerOf(stage)->emitError("the stage ")
        << taken(stage) << " here is not " << given(stage)
        << (holding.state == Holding::offered ? " where it is ready" : "")
        << " by the end of " << place << ": add a " << give(stage)
        << " behind its last use";
    failed = true;
  }

  void take(Operation &op, Path &path) {
    Value stage = op.getResults().back();
    const int64_t held = path.countOpen(op.getOperand(0), isAcquired(stage));
    failed |= path.counts.take(op, held, traffic).failed();
    path.stages[stage] = {isa<tile::AcquireOp, tile::WaitOp>(op)
                              ? Holding::open
                              : Holding::offered};
  }

  /// The holding of a stage that may be used here, or null after a report.
  Holding *usable(Operation &op, Value stage, Path &path, StringRef doing) {
    auto it = path.stages.find(stage);
    if (it == path.stages.end()) {
      op.emitError("this ") << doing << " a stage that no acquire or wait of "
                            << "this role gave: take a stage from the pipeline "
                            << "first";
      failed = true;
      return nullptr;
    }
    Holding &holding = it->second;
    if (holding.state == Holding::open)
      return &holding;
    if (holding.state == Holding::offered)
      refuse(&op,
             Twine("this ") + doing +
                 " a stage that may not be ready: do it "
                 "under when(ready)",
             stage.getDefiningOp(), "readiness is tested here");
    if (holding.state == Holding::carried)
      refuse(&op,
             Twine("this ") + doing +
                 " a stage that has been assigned to another variable, and is "
                 "that one's alone since then: use that one",
             holding.closedBy, "the other variable carries it from here on");
    if (holding.state == Holding::closed) {
      if (isa<tile::CommitOp, tile::ReleaseOp>(op))
        refuse(&op,
               Twine("this ") + doing + " a stage that has been " +
                   given(stage) + " already: remove one of the two",
               holding.closedBy, Twine(given(stage)) + " here");
      else
        refuse(&op,
               Twine("this ") + doing + " a stage that has been " +
                   given(stage) + ": move the " + give(stage) +
                   " behind its last use",
               holding.closedBy, Twine(given(stage)) + " here");
    }
    holding.state = Holding::reported;
    return nullptr;
  }

  void close(Operation &op, Path &path) {
    bool commits = isa<tile::CommitOp>(op);
    Value pipeline = op.getOperand(0), stage = op.getOperand(1);
    StringRef doing = commits ? "commits" : "releases";
    Holding *holding = usable(op, stage, path, doing);
    if (!holding)
      return;
    Operation *taker = tile::takerOf(stage);
    holding->state = Holding::closed;
    holding->closedBy = &op;
    if (commits != isAcquired(stage))
      return refuse(&op,
                    Twine("this ") + doing + " a stage that was " +
                        taken(stage) + ": use " + give(stage),
                    taker, Twine(taken(stage)) + " here");
    if (tile::pipelineOf(stage) != pipeline)
      return refuse(&op,
                    Twine("this ") + doing + " a stage of another pipeline: " +
                        give(stage) + " it to the pipeline it came from",
                    taker, Twine(taken(stage)) + " here");
    path.counts.close(pipeline, commits);
  }

  void use(Operation &op, tile::BufferOp buffer, Path &path) {
    Value stage = buffer.getStage();
    const bool writes = bool(writtenTile(&op));
    Holding *holding =
        usable(op, stage, path, writes ? "writes into" : "reads");
    if (!holding)
      return;
    Operation *taker = tile::takerOf(stage);
    Value pipeline = tile::pipelineOf(stage);
    if (writes && !isAcquired(stage)) {
      if (isa<tile::WriteOp>(op) && traffic.tellsConsumers(pipeline, role))
        return;
      refuse(&op, refusedWrite(op), taker, "waited for here");
      holding->state = Holding::reported;
      return;
    }
    if (!writes && isAcquired(stage)) {
      refuse(&op,
             "this reads a stage that was acquired, which is not full yet: "
             "read a stage from wait",
             taker, "acquired here");
      holding->state = Holding::reported;
      return;
    }
    if (!writes && !traffic.producers[pipeline].empty() &&
        !traffic.written.contains(
            {pipeline.getAsOpaquePointer(), buffer.getIndex()}))
      refuse(&op,
             "this reads tile " + Twine(buffer.getIndex()) +
                 " of a stage, which no role writes: copy or write it between "
                 "acquire and commit",
             pipeline.getDefiningOp(), "the pipeline is declared here");
  }

  static std::string refusedWrite(Operation &op) {
    if (!isa<tile::WriteOp>(op))
      return "this copies into a stage that was waited for, and copies "
             "complete "
             "where a producer commits: copy into a stage from acquire, or "
             "store a fragment";
    return "this writes into a stage that was waited for, and other roles wait "
           "for it too: a stage is rewritten only where one role drains the "
           "pipeline, or fills another one that the others drain";
  }

  /// Gives up a stage that a loop or a branch carries on, by the operation that
  /// takes it over.
  Holding carry(Operation &op, Value stage, Path &path) {
    auto it = path.stages.find(stage);
    if (it == path.stages.end()) {
      op.emitError("this carries a stage that no acquire or wait of this role "
                   "gave: take a stage from the pipeline first");
      failed = true;
      return {Holding::reported};
    }
    Holding &holding = it->second;
    const Holding before = holding;
    if (before.state == Holding::offered || before.state == Holding::carried) {
      usable(op, stage, path, "carries");
      return {Holding::reported};
    }
    if (before.state == Holding::open)
      holding = {Holding::carried, &op};
    return before;
  }

  /// What a variable holds where two ways meet: of both it is the same.
  Holding meet(Operation *op, Value a, const Holding &ofA, Value b,
               const Holding &ofB, StringRef first, StringRef second) {
    if (ofA.state == Holding::reported || ofB.state == Holding::reported)
      return {Holding::reported};
    Operation *taker = tile::takerOf(a), *other = tile::takerOf(b);
    if (tile::pipelineOf(a) != tile::pipelineOf(b) ||
        isAcquired(a) != isAcquired(b)) {
      refuse(taker,
             "the variable of the stage " + taken(a) +
                 " here is assigned one " + taken(b) +
                 (tile::pipelineOf(a) != tile::pipelineOf(b)
                      ? " of another pipeline"
                      : "") +
                 ": use a variable for each",
             other, Twine(taken(b)) + " here");
      return {Holding::reported};
    }
    if (ofA.state == ofB.state)
      return ofB;
    const bool atFirst = ofA.state == Holding::closed;
    refuse(taker,
           Twine(atFirst ? second : first) + " the variable of the stage " +
               taken(a) + " here is not " + given(a) + ", and " +
               (atFirst ? first : second) + " it is: " + give(a) +
               " it on both ways, or on neither",
           op, "the two ways meet here");
    return {Holding::reported};
  }

  void walkLoop(scf::ForOp loop, Path &path) {
    SmallVector<std::pair<unsigned, Holding>> carried;
    for (auto [i, init] : llvm::enumerate(loop.getInitArgs()))
      if (isa<tile::StageType>(init.getType()))
        carried.push_back({i, carry(*loop, init, path)});
    Path inside = path;
    SmallVector<Value> own;
    for (auto &[i, holding] : carried) {
      own.push_back(loop.getRegionIterArg(i));
      inside.stages[own.back()] = holding;
    }
    walk(*loop.getBody(), inside, "the loop body", own);
    for (auto &[stage, holding] : path.stages) {
      Holding &after = inside.stages[stage];
      if (after.state == Holding::carried && holding.state == Holding::open) {
        refuse(tile::takerOf(stage),
               "the stage " + taken(stage) +
                   " here is assigned in a loop, again in each iteration: take "
                   "the stage in the loop, or assign it before",
               after.closedBy, "the loop is here");
        after.state = Holding::reported;
      }
      if (after.state == Holding::closed && holding.state != Holding::closed) {
        refuse(after.closedBy,
               Twine("this ") + give(stage) +
                   " stands in a loop and would be "
                   "repeated, but its stage was " +
                   taken(stage) +
                   " outside: move both into the loop or both out of it",
               tile::takerOf(stage), Twine(taken(stage)) + " here");
        after.state = Holding::reported;
      }
      holding = after;
    }
    for (auto &[i, before] : carried) {
      Value init = loop.getInitArgs()[i], last = loop.getYieldedValues()[i];
      path.stages[loop.getResult(i)] =
          meet(loop, init, before, last, inside.stages[loop.getResult(i)],
               "before the loop", "at the end of its body");
    }
    failed |= path.counts.repeat(loop, inside.counts, traffic).failed();
  }

  void walkBranch(scf::IfOp branch, Path &path) {
    Path arms[2] = {path, path};
    llvm::SmallPtrSet<Operation *, 4> ready[2];
    for (int arm : {0, 1}) {
      collectReady(branch.getCondition(), arm == 0, ready[arm]);
      for (auto &[stage, holding] : arms[arm].stages)
        if (holding.state == Holding::offered &&
            ready[arm].contains(stage.getDefiningOp()))
          holding.state = Holding::open;
      Block *block = arm == 0 ? branch.thenBlock() : branch.elseBlock();
      if (block)
        walk(*block, arms[arm], "this branch");
    }
    for (auto &[stage, holding] : path.stages)
      holding = join(branch, stage, holding, arms, ready);
    for (OpResult result : branch.getResults()) {
      if (!isa<tile::StageType>(result.getType()))
        continue;
      const unsigned i = result.getResultNumber();
      path.stages[result] =
          meet(branch, branch.thenYield().getOperand(i), arms[0].stages[result],
               branch.elseYield().getOperand(i), arms[1].stages[result],
               "where the condition is true", "where it is false");
    }
    path.counts.meet(arms[0].counts, arms[1].counts);
  }

  /// What holds of a stage behind a conditional.
  Holding join(scf::IfOp branch, Value stage, Holding before, Path (&arms)[2],
               llvm::SmallPtrSet<Operation *, 4> (&ready)[2]) {
    Holding after[2];
    for (int arm : {0, 1}) {
      after[arm] = arms[arm].stages.lookup(stage);
      if (after[arm].state == Holding::reported)
        return after[arm];
    }
    if (before.state == Holding::offered)
      for (int arm : {0, 1})
        if (ready[arm].contains(stage.getDefiningOp()))
          return after[arm].isGone() ? after[arm] : before;
    if (after[0].state == after[1].state)
      return after[0];
    if (after[0].isGone() && after[1].isGone())
      return after[after[0].state == Holding::carried ? 0 : 1];
    int closing = after[0].isGone() ? 0 : 1;
    const bool carries = after[closing].state == Holding::carried;
    refuse(tile::takerOf(stage),
           Twine("the stage ") + taken(stage) + " here is " +
               (carries ? "assigned to another variable" : given(stage)) +
               " on one path and not on the other: " + give(stage) +
               (carries ? " it on the other"
                        : " it on both, or behind the conditional"),
           after[closing].closedBy,
           Twine(carries ? "assigned" : given(stage)) +
               " only where the condition is " +
               (closing == 0 ? "true" : "false"));
    return {Holding::reported};
  }

  tile::RoleOp role;
  Traffic &traffic;
  bool failed = false;
};

/// Who arrives tells somebody.
LogicalResult checkBarrier(tile::BarrierOp barrier) {
  Operation *arrives = nullptr;
  for (Operation *user : barrier.getResult().getUsers()) {
    if (isa<tile::SyncOp>(user))
      return success();
    arrives = user;
  }
  if (!arrives)
    return success();
  return arrives->emitError("no role waits on barrier '")
         << barrier.getName()
         << "', at which this one arrives: call sync() in the role that is to "
            "wait, or leave the barrier out";
}

struct TileVerifyProtocol : impl::TileVerifyProtocolBase<TileVerifyProtocol> {
  void runOnOperation() override {
    Traffic traffic(getOperation());
    bool failed = false;
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>())
      failed |= RoleProtocol(role, traffic).run().failed();
    for (auto pipeline : getOperation().getBody().getOps<tile::PipelineOp>())
      failed |= checkTraffic(pipeline, traffic).failed();
    for (auto barrier : getOperation().getBody().getOps<tile::BarrierOp>())
      failed |= checkBarrier(barrier).failed();
    failed |= checkTileLoops(getOperation()).failed();
    failed |= checkPeerCopies(getOperation()).failed();
    failed |= checkWrites(getOperation()).failed();
    compareStepsOfTileLoops(getOperation());
    findStatesInTurns(getOperation());
    if (failed)
      signalPassFailure();
  }
};

} // namespace
} // namespace ashlar
