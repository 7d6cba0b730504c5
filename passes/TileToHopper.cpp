// tile-to-hopper: pipelines are rings of mbarriers, copies are TMA or cp.async,
// mma is wgmma, and the tile loop is arithmetic on the CTA's number.

#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

#define GEN_PASS_DEF_TILETOHOPPER
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct TileToHopper : impl::TileToHopperBase<TileToHopper> {
  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels(
        getOperation().getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      if (failed(demandPlan(kernel)) || failed(demandLayouts(kernel)))
        return signalPassFailure();
      OpBuilder builder(kernel);
      if (failed(KernelLowering(kernel, builder).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
} // namespace ashlar
