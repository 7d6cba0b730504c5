#include "passes/tile_to_hopper/SpareStages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

using namespace mlir;

namespace {

constexpr int64_t unbounded = int64_t(1) << 40;

/// The most stages that one role holds at once, between taking and giving back
/// a stage, over all paths.
class Window {
public:
  Window(Value pipeline, bool filling) : pipeline(pipeline), filling(filling) {}

  /// With the one that it takes.
  int64_t most(tile::RoleOp role) {
    walk(role.getBody().front());
    return widest;
  }

private:
  struct Taken {
    Value stage;
    bool givenBack = false;
  };

  void take(Value stage) {
    held.push_back({stage});
    widest = std::max<int64_t>(widest, held.size());
  }

  void giveBack(Value stage) {
    for (Taken &taken : held)
      taken.givenBack |= taken.stage == stage;
    while (!held.empty() && held.front().givenBack)
      held.erase(held.begin());
  }

  void walk(Block &block) {
    for (Operation &op : block) {
      if (op.getNumOperands() && op.getOperand(0) == pipeline) {
        if (filling ? isa<tile::AcquireOp, tile::TryAcquireOp>(op)
                    : isa<tile::WaitOp, tile::TryWaitOp>(op))
          take(op.getResults().back());
        else if (filling ? isa<tile::CommitOp>(op) : isa<tile::ReleaseOp>(op))
          giveBack(op.getOperand(1));
      }
      if (op.getNumRegions())
        walkRegions(op);
    }
  }

  /// What is taken in a body is given back in it. Where one from before it is
  /// held, the window grows by what the body takes, in a loop each time.
  void walkRegions(Operation &op) {
    const SmallVector<Taken> before = held;
    std::optional<SmallVector<Taken>> widestEnd;
    auto mayEndWith = [&](const SmallVector<Taken> &end) {
      if (!widestEnd || end.size() > widestEnd->size())
        widestEnd = end;
    };
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch || !branch.elseBlock())
      mayEndWith(before);
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        held = before;
        walk(inner);
        if (held.size() > before.size() && !branch)
          widest = unbounded;
        mayEndWith(held);
      }
    held = *widestEnd;
  }

  Value pipeline;
  bool filling;
  SmallVector<Taken> held;
  int64_t widest = 0;
};

/// The most stages that a role which fills and drains a pipeline has acquired
/// and not released.
class Outstanding {
public:
  explicit Outstanding(Value pipeline) : pipeline(pipeline) {}

  int64_t most(tile::RoleOp role) {
    walk(role.getBody().front(), 0);
    return highest;
  }

private:
  /// How many are outstanding, at most, at the end of a block.
  int64_t walk(Block &block, int64_t count) {
    for (Operation &op : block) {
      if (op.getNumOperands() && op.getOperand(0) == pipeline) {
        if (isa<tile::AcquireOp, tile::TryAcquireOp>(op))
          highest = std::max(highest, ++count);
        else if (isa<tile::ReleaseOp>(op))
          --count;
      }
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        count = walkLoop(loop, count);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        int64_t then = walk(*branch.thenBlock(), count);
        count =
            std::max(then, branch.elseBlock() ? walk(*branch.elseBlock(), count)
                                              : count);
      }
    }
    return count;
  }

  int64_t walkLoop(scf::ForOp loop, int64_t count) {
    const int64_t once = walk(*loop.getBody(), count);
    if (once <= count)
      return count; // it may not run
    auto trips = loop.getStaticTripCount();
    if (!trips) {
      highest = unbounded;
      return count;
    }
    const int64_t each = once - count;
    int64_t end = count + each * trips->getSExtValue();
    if (trips->getSExtValue() > 1)
      walk(*loop.getBody(), end - each);
    return end;
  }

  Value pipeline;
  int64_t highest = 0;
};

} // namespace

int64_t spareStages(tile::PipelineOp pipeline) {
  Value value = pipeline.getResult();
  int64_t stages = pipeline.getResult().getType().getStages();
  llvm::SmallSetVector<Operation *, 4> producers, consumers;
  for (Operation *user : value.getUsers())
    if (isa<tile::AcquireOp, tile::TryAcquireOp>(user))
      producers.insert(tile::roleOf(user));
    else if (isa<tile::WaitOp, tile::TryWaitOp>(user))
      consumers.insert(tile::roleOf(user));
  if (producers.size() != 1)
    return 0;
  auto producer = cast<tile::RoleOp>(producers.front());
  int64_t held = 0;
  for (Operation *consumer : consumers) {
    auto role = cast<tile::RoleOp>(consumer);
    if (role == producer && consumers.size() > 1)
      return 0;
    held = std::max(held,
                    role == producer
                        ? Outstanding(value).most(role)
                        : Window(value, /*filling=*/false).most(role) - 1 +
                              Window(value, /*filling=*/true).most(producer));
  }
  return std::max<int64_t>(stages - held, 0);
}

} // namespace ashlar
