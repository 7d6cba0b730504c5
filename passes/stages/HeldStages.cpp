#include "passes/stages/HeldStages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ashlar {

using namespace mlir;

bool acquires(Operation *op) {
  return isa<tile::AcquireOp, tile::TryAcquireOp>(op);
}
bool waits(Operation *op) { return isa<tile::WaitOp, tile::TryWaitOp>(op); }

namespace {

/// Counts in the order of the program.
struct Walk {
  Value pipeline;
  llvm::DenseMap<Operation *, int64_t> &counts;
  int64_t &highest;

  bool isOf(Operation &op) const {
    return op.getNumOperands() && op.getOperand(0) == pipeline;
  }
  void note(Operation &op, int64_t count) {
    counts[&op] = std::max(counts[&op], count);
    highest = std::max(highest, count);
  }
};

/// Stages are taken in the ring's order, so one counts until it and all before
/// it are given back.
class Window : Walk {
public:
  Window(Walk walk, bool filling) : Walk(walk), filling(filling) {}

  void walk(Block &block) {
    for (Operation &op : block) {
      if (acquires(&op) || waits(&op))
        note(op, grown ? HeldStages::unbounded : int64_t(held.size()));
      if (isOf(op)) {
        if (filling ? acquires(&op) : waits(&op))
          held.push_back({op.getResults().back()});
        else if (filling ? isa<tile::CommitOp>(op) : isa<tile::ReleaseOp>(op))
          giveBack(op);
        highest = std::max<int64_t>(highest, held.size());
      }
      if (op.getNumRegions())
        walkRegions(op);
    }
  }

private:
  struct Taken {
    Value stage;
    bool givenBack = false;

    bool operator==(const Taken &) const = default;
  };

  void giveBack(Operation &op) {
    for (auto [i, taken] : llvm::enumerate(held))
      if (taken.stage == op.getOperand(1))
        note(op, grown ? HeldStages::unbounded : held.size() - 1 - i);
    giveBack(op.getOperand(1));
  }

  void giveBack(Value stage) {
    for (Taken &taken : held)
      taken.givenBack |= taken.stage == stage;
    while (!held.empty() && held.front().givenBack)
      held.erase(held.begin());
  }

  /// What is taken in a body, and not carried on, is given back by its end.
  /// Where one from before it is held, the window grows by what the body takes,
  /// in a loop each time.
  void walkRegions(Operation &op) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop)
      rename(loop.getInitArgs(), loop.getResults());
    const SmallVector<Taken> before = held;
    SmallVector<Taken> widest = before;
    bool isFirst = isa<scf::IfOp>(op) && op.getRegion(1).hasOneBlock();
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        walkBody(inner, before);
        // An iteration that begins as the one before ends as that one.
        if (!grown && loop && held != before) {
          grown = true;
          walkBody(inner, before);
        }
        if (isFirst || held.size() > widest.size())
          widest = held;
        isFirst = false;
      }
    held = widest;
  }

  void walkBody(Block &body, const SmallVector<Taken> &before) {
    held = before;
    Operation *around = body.getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(around))
      rename(loop.getResults(), loop.getRegionIterArgs());
    walk(body);
    if (body.mightHaveTerminator())
      rename(body.getTerminator()->getOperands(), around->getResults());
    for (Taken taken : SmallVector<Taken>(held))
      if (taken.stage.getParentBlock() == &body)
        giveBack(taken.stage);
  }

  /// What loops and branches carry is held under the name that it has there.
  void rename(ValueRange from, ValueRange to) {
    const SmallVector<Taken> before = held;
    for (auto [value, name] : llvm::zip(from, to))
      for (auto [taken, old] : llvm::zip(held, before))
        if (old.stage == value)
          taken.stage = name;
  }

  bool filling;
  SmallVector<Taken> held;
  bool grown = false; ///< without a bound: from here on
};

class Ahead : Walk {
public:
  explicit Ahead(Walk walk) : Walk(walk) {}

  /// The count at the end of a block that begins with `count`.
  int64_t walk(Block &block, int64_t count) {
    for (Operation &op : block) {
      if (acquires(&op) || waits(&op))
        note(op, count);
      if (isOf(op))
        count += acquires(&op) - waits(&op);
      if (auto loop = dyn_cast<scf::ForOp>(op))
        count = walkLoop(loop, count);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        count = std::max(walk(*branch.thenBlock(), count),
                         branch.elseBlock() ? walk(*branch.elseBlock(), count)
                                            : count);
    }
    highest = std::max(highest, count);
    return count;
  }

private:
  int64_t walkLoop(scf::ForOp loop, int64_t count) {
    const int64_t each = walk(*loop.getBody(), count) - count;
    if (each <= 0)
      return count; // it may not run
    auto trips = loop.getStaticTripCount();
    const int64_t more =
        trips ? each * trips->getSExtValue() : HeldStages::unbounded;
    if (more > each)
      walk(*loop.getBody(), count + more - each);
    return std::min(count + more, HeldStages::unbounded);
  }
};

} // namespace

HeldStages::HeldStages(tile::RoleOp role, Value pipeline, Of what) {
  Walk walk{pipeline, counts, highest};
  Block &body = role.getBody().front();
  if (what == Of::ahead)
    Ahead(walk).walk(body, 0);
  else
    Window(walk, what == Of::filling).walk(body);
}

} // namespace ashlar
