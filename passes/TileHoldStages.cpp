// tile-hold-stages: each acquire and wait says how many stages of each pipeline
// its role may hold there, each release how many were taken after its stage.

#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/stages/MostStages.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEHOLDSTAGES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct TileHoldStages : impl::TileHoldStagesBase<TileHoldStages> {
  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (failed(demandStages(kernel)))
      return signalPassFailure();
    const MostStages most(kernel);
    SmallVector<Value> pipelines;
    for (auto pipeline : kernel.getBody().getOps<tile::PipelineOp>())
      pipelines.push_back(pipeline.getResult());
    auto note = [&](auto take) {
      const MostStages::Numbers numbers = most.at(take);
      if (!numbers.empty())
        take.setHolds(llvm::map_to_vector(pipelines, [&](Value pipeline) {
          return numbers.lookup(pipeline);
        }));
    };
    kernel.walk([&](Operation *op) {
      if (auto acquire = dyn_cast<tile::AcquireOp>(op))
        note(acquire);
      else if (auto wait = dyn_cast<tile::WaitOp>(op))
        note(wait);
      else if (auto release = dyn_cast<tile::ReleaseOp>(op))
        release.setNewer(most.newerThan(release));
    });
  }
};

} // namespace
} // namespace ashlar
