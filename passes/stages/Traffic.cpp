#include "passes/stages/Traffic.h"

#include "compiler/tile/Stages.h"
#include "passes/SharedMemory.h"

namespace ashlar {

using namespace mlir;

bool isAcquired(Value stage) {
  return isa<tile::AcquireOp, tile::TryAcquireOp>(tile::takerOf(stage));
}
StringRef taken(Value stage) {
  return isAcquired(stage) ? "acquired" : "waited for";
}
StringRef given(Value stage) {
  return isAcquired(stage) ? "committed" : "released";
}
StringRef give(Value stage) { return isAcquired(stage) ? "commit" : "release"; }

Traffic::Traffic(tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    if (isa<tile::CommitOp>(op))
      producers[op->getOperand(0)].insert(tile::roleOf(op));
    if (isa<tile::ReleaseOp>(op))
      consumers[op->getOperand(0)].insert(tile::roleOf(op));
    Value target = writtenTile(op);
    if (auto buffer = target ? tile::bufferOf(target) : nullptr)
      if (Value pipeline = tile::pipelineOf(buffer.getStage()))
        written.insert({pipeline.getAsOpaquePointer(), buffer.getIndex()});
  });
}

bool Traffic::onlyProducer(Value pipeline, Operation *role) {
  return producers[pipeline].size() == 1 && producers[pipeline].contains(role);
}
bool Traffic::onlyConsumer(Value pipeline, Operation *role) {
  return consumers[pipeline].size() == 1 && consumers[pipeline].contains(role);
}

bool Traffic::tellsConsumers(Value pipeline, Operation *role) const {
  const Roles &others = consumers.find(pipeline)->second;
  return llvm::all_of(others, [&](Operation *other) {
    return other == role || llvm::any_of(producers, [&](const auto &filled) {
             auto drained = consumers.find(filled.first);
             return filled.second.contains(role) &&
                    drained != consumers.end() &&
                    drained->second.contains(other);
           });
  });
}

LogicalResult checkTraffic(tile::PipelineOp pipeline, Traffic &traffic) {
  Value value = pipeline.getResult();
  if (traffic.producers[value].empty())
    return pipeline.emitError(
        "no role commits a stage of this pipeline, so nothing ever arrives: "
        "fill it with acquire, copy and commit, or remove it");
  if (traffic.consumers[value].empty())
    return pipeline.emitError("no role releases a stage of this pipeline, so "
                              "its producer stops after ")
           << pipeline.getResult().getType().getStages()
           << " stages: drain it with wait and release, or remove it";
  return success();
}

} // namespace ashlar
