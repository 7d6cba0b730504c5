#include "passes/stages/StagesInStep.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <vector>

namespace ashlar {

using namespace mlir;

namespace {

/// A step, or a nest of steps.
struct Part {
  Operation *nest = nullptr;             ///< scf.for or scf.if; null for a step
  std::vector<std::vector<Part>> bodies; ///< of a nest
  llvm::MapVector<Value, int64_t> takes; ///< of a step: stages, by pipeline
};
using Parts = std::vector<Part>;

bool takesOf(Operation &op, ArrayRef<Value> pipelines) {
  return isa<tile::AcquireOp, tile::WaitOp>(op) &&
         llvm::is_contained(pipelines, op.getOperand(0));
}

bool hasSteps(Operation &op, ArrayRef<Value> pipelines) {
  return op
      .walk([&](Operation *inner) {
        return takesOf(*inner, pipelines) ? WalkResult::interrupt()
                                          : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation waits for other roles by other means than stages of
/// these pipelines, or may not wait for them.
bool waitsOtherwise(Operation *op, ArrayRef<Value> pipelines) {
  if (isa<tile::TryAcquireOp, tile::TryWaitOp>(op))
    return llvm::is_contained(pipelines, op->getOperand(0));
  if (auto sync = dyn_cast<tile::SyncOp>(op))
    return llvm::any_of(sync.getBarrier().getUsers(), [&](Operation *user) {
      return tile::roleOf(user) != tile::roleOf(op);
    });
  return isa<tile::AwaitOp, tile::TakeOp, tile::ClusterReduceOp,
             tile::ClusterSyncOp>(op);
}

/// The steps of a role.
class Steps {
public:
  Steps(tile::RoleOp role, ArrayRef<Value> pipelines) : pipelines(pipelines) {
    parts = read(role.getBody().front());
  }

  Parts parts;
  int64_t count = 0;
  llvm::SmallPtrSet<Value, 4> pipelinesTaken;
  /// Every stage that is acquired in a step is committed in it.
  bool commits = true;

private:
  Parts read(Block &block) {
    Parts result;
    llvm::SmallPtrSet<Operation *, 4> open;
    auto step = [&]() -> Part & {
      if (result.empty() || result.back().nest) {
        result.emplace_back();
        ++count;
      }
      return result.back();
    };
    for (Operation &op : block) {
      if (takesOf(op, pipelines)) {
        ++step().takes[op.getOperand(0)];
        pipelinesTaken.insert(op.getOperand(0));
        if (isa<tile::AcquireOp>(op))
          open.insert(&op);
      } else if (isa<tile::CommitOp>(op)) {
        open.erase(op.getOperand(1).getDefiningOp());
      } else if (op.getNumRegions() && hasSteps(op, pipelines)) {
        commits &= open.empty();
        Part nest;
        nest.nest = &op;
        for (Region &region : op.getRegions())
          nest.bodies.push_back(region.empty() ? Parts()
                                               : read(region.front()));
        result.push_back(std::move(nest));
      }
    }
    commits &= open.empty();
    return result;
  }

  ArrayRef<Value> pipelines;
};

/// Whether a loop may end before its bounds say so.
bool endsEarly(scf::ForOp loop) {
  return !loop.getBody()->getOps<tile::LastIfOp>().empty();
}

/// Whether two values of two roles are the same expression.
class SameExpression {
public:
  /// The arguments of two blocks stand for the same values from now on.
  void assume(Value a, Value b) { known[{a, b}] = true; }

  bool operator()(Value a, Value b) {
    if (a == b)
      return true;
    auto [it, isNew] = known.try_emplace({a, b}, false);
    return isNew ? known[{a, b}] = compute(a, b) : it->second;
  }

private:
  bool compute(Value a, Value b) {
    auto from = dyn_cast<OpResult>(a), to = dyn_cast<OpResult>(b);
    return from && to && from.getResultNumber() == to.getResultNumber() &&
           isMemoryEffectFree(from.getOwner()) &&
           OperationEquivalence::isEquivalentTo(
               from.getOwner(), to.getOwner(),
               [&](Value x, Value y) { return success((*this)(x, y)); },
               /*markEquivalent=*/nullptr,
               OperationEquivalence::IgnoreLocations);
  }

  llvm::DenseMap<std::pair<Value, Value>, bool> known;
};

/// Finds the steps of a role among those of the role that leads: in their
/// order, with as many stages of the pipelines that both take.
class Embedding {
public:
  explicit Embedding(const Steps &leader) : leader(leader) {}

  bool find(const Parts &parts) { return find(parts, leader.parts); }
  /// Each step with the leader's.
  std::vector<std::pair<const Part *, const Part *>> found;

private:
  bool find(const Parts &parts, const Parts &among) {
    auto next = among.begin();
    return llvm::all_of(parts, [&](const Part &part) {
      while (next != among.end())
        if (matches(part, *next++))
          return true;
      return false;
    });
  }

  bool matches(const Part &part, const Part &other) {
    if (!part.nest && !other.nest) {
      for (auto [pipeline, count] : part.takes)
        if (leader.pipelinesTaken.contains(pipeline) &&
            other.takes.lookup(pipeline) != count)
          return false;
      found.push_back({&part, &other});
      return true;
    }
    if (!part.nest || !other.nest || !runsAlike(part.nest, other.nest))
      return false;
    const size_t before = found.size();
    for (auto [body, otherBody] : llvm::zip(part.bodies, other.bodies))
      if (!find(body, otherBody)) {
        found.resize(before);
        return false;
      }
    return true;
  }

  bool runsAlike(Operation *nest, Operation *other) {
    auto branch = dyn_cast<scf::IfOp>(nest);
    auto otherBranch = dyn_cast<scf::IfOp>(other);
    if (branch && otherBranch)
      return same(branch.getCondition(), otherBranch.getCondition());
    auto loop = dyn_cast<scf::ForOp>(nest),
         otherLoop = dyn_cast<scf::ForOp>(other);
    if (!loop || !otherLoop || endsEarly(loop) || endsEarly(otherLoop) ||
        !same(loop.getLowerBound(), otherLoop.getLowerBound()) ||
        !same(loop.getUpperBound(), otherLoop.getUpperBound()) ||
        !same(loop.getStep(), otherLoop.getStep()))
      return false;
    same.assume(loop.getInductionVar(), otherLoop.getInductionVar());
    return true;
  }

  const Steps &leader;
  SameExpression same;
};

} // namespace

bool takeStagesInStep(tile::KernelOp kernel, ArrayRef<Value> pipelines) {
  if (kernel
          .walk([&](Operation *op) {
            return waitsOtherwise(op, pipelines) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
          })
          .wasInterrupted())
    return false;

  std::vector<Steps> roles;
  for (auto role : kernel.getBody().getOps<tile::RoleOp>()) {
    Steps steps(role, pipelines);
    if (!steps.commits)
      return false;
    if (!steps.parts.empty())
      roles.push_back(std::move(steps));
  }
  if (roles.empty())
    return true;
  const Steps &leader = *llvm::max_element(
      roles, [](auto &a, auto &b) { return a.count < b.count; });

  // Stages of a pipeline in a step of the leader, as each role has them.
  std::map<std::pair<void *, const Part *>, SmallVector<int64_t>> taken;
  for (const Steps &role : roles) {
    Embedding embedding(leader);
    if (!embedding.find(role.parts))
      return false;
    for (auto [step, at] : embedding.found)
      for (auto [pipeline, count] : step->takes)
        taken[{pipeline.getAsOpaquePointer(), at}].push_back(count);
  }
  for (Value pipeline : pipelines) {
    const size_t sharing = llvm::count_if(roles, [&](const Steps &role) {
      return role.pipelinesTaken.contains(pipeline);
    });
    for (auto &[where, counts] : taken)
      if (where.first == pipeline.getAsOpaquePointer() &&
          (counts.size() != sharing || !llvm::all_equal(counts)))
        return false;
  }
  return true;
}

int64_t leftInStep(Operation *taking, Value pipeline,
                   ArrayRef<Value> pipelines) {
  int64_t left = 0;
  for (Operation *op = taking;
       op && !(op->getNumRegions() && hasSteps(*op, pipelines));
       op = op->getNextNode())
    left += isa<tile::WaitOp>(op) && op->getOperand(0) == pipeline;
  return left;
}

} // namespace ashlar
