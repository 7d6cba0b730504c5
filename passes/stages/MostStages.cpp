#include "passes/stages/MostStages.h"
#include "passes/stages/HeldStages.h"
#include "passes/stages/StagesInStep.h"
#include "passes/stages/Turns.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace ashlar {

using namespace mlir;

namespace {

/// Who fills and who drains a pipeline.
struct Traffic {
  explicit Traffic(tile::PipelineOp op)
      : stages(op.getResult().getType().getStages()) {
    for (Operation *user : op.getResult().getUsers())
      if (acquires(user))
        producers.insert(tile::roleOf(user));
      else if (waits(user))
        consumers.insert(tile::roleOf(user));
  }

  /// Its only user, if there is one.
  tile::RoleOp owner() const {
    return producers.size() == 1 && producers == consumers
               ? cast<tile::RoleOp>(producers.front())
               : tile::RoleOp();
  }

  int64_t stages;
  llvm::SmallSetVector<Operation *, 4> producers, consumers;
};

bool writesToPeers(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::CopyOp copy) {
        return copy.getMulticast() ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Computes what MostStages holds.
class Count {
public:
  explicit Count(tile::KernelOp kernel) : inCluster(writesToPeers(kernel)) {
    for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
      pipelines.insert({pipeline.getResult(), Traffic(pipeline)});
    // What a role fills for itself depends on nobody, but in a cluster.
    for (auto &[pipeline, traffic] : pipelines)
      if (inCluster || !traffic.owner())
        between.push_back(pipeline);
    kernel.walk([&](Operation *op) {
      if (isa<tile::AcquireOp, tile::WaitOp>(op))
        takes.push_back(op);
    });
    inStep = llvm::none_of(takes, isInTurns) &&
             takeStagesInStep(kernel, between) &&
             llvm::all_of(between, [&](Value pipeline) {
               return llvm::all_of(takes, [&](Operation *taking) {
                 return !drains(taking, pipeline) ||
                        heldOf(taking, pipeline, HeldStages::Of::draining)
                                .before(taking) <= leftFor(taking, pipeline);
               });
             });
  }

  /// Of the role of an operation.
  const HeldStages &heldOf(Operation *op, Value pipeline, HeldStages::Of what) {
    auto role = dyn_cast<tile::RoleOp>(op);
    role = role ? role : tile::roleOf(op);
    return held
        .try_emplace({role, pipeline.getAsOpaquePointer(), what}, role,
                     pipeline, what)
        .first->second;
  }

  void fill(llvm::DenseMap<Operation *, MostStages::Numbers> &numbers) {
    for (Operation *taking : takes) {
      // The next stage of such a role may be the one that it holds.
      if (isInTurns(taking))
        continue;
      for (auto &[pipeline, traffic] : pipelines)
        if (int64_t most = drains(taking, pipeline) ? at(taking, pipeline) : 0;
            most > 0)
          numbers[taking][pipeline] = most;
    }
  }

private:
  int64_t at(Operation *taking, Value pipeline) {
    using Of = HeldStages::Of;
    const Traffic &traffic = pipelines.find(pipeline)->second;
    const bool ofThis = taking->getOperand(0) == pipeline;
    if (!llvm::is_contained(between, pipeline))
      return ofThis && acquires(taking)
                 ? traffic.stages - 1 -
                       heldOf(taking, pipeline, Of::ahead).before(taking)
                 : traffic.stages;
    if (inStep)
      return leftFor(taking, pipeline);
    if (!ofThis || acquires(taking) || traffic.producers.size() != 1 ||
        (inCluster && between.size() > 1))
      return 0;
    Operation *producer = traffic.producers.front();
    return traffic.stages - heldOf(producer, pipeline, Of::filling).most();
  }

  bool drains(Operation *taking, Value pipeline) {
    return pipelines.find(pipeline)->second.consumers.contains(
        tile::roleOf(taking));
  }

  /// What the rest of the step leaves of a pipeline's stages.
  int64_t leftFor(Operation *taking, Value pipeline) {
    return pipelines.find(pipeline)->second.stages -
           leftInStep(taking, pipeline, between);
  }

  bool inCluster, inStep;
  llvm::MapVector<Value, Traffic> pipelines;
  SmallVector<Value> between; ///< pipelines on which a role waits for others
  SmallVector<Operation *> takes;
  std::map<std::tuple<Operation *, void *, HeldStages::Of>, HeldStages> held;
};

} // namespace

MostStages::MostStages(tile::KernelOp kernel) {
  Count count(kernel);
  count.fill(numbers);
  kernel.walk([&](tile::ReleaseOp release) {
    newer[release] =
        count.heldOf(release, release.getPipeline(), HeldStages::Of::draining)
            .after(release);
  });
}

} // namespace ashlar
