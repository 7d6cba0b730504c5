// hopper-to-thread: fragments are registers, warps are branches; what is left
// is one thread's program in LLVM's dialect with inline PTX, and scf.

#include "passes/Passes.h"
#include "passes/hopper_to_thread/ThreadLowering.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERTOTHREAD
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

struct HopperToThread : impl::HopperToThreadBase<HopperToThread> {
  using HopperToThreadBase::HopperToThreadBase;

  void runOnOperation() override {
    SmallVector<hopper::KernelOp> kernels(
        getOperation().getOps<hopper::KernelOp>());
    for (hopper::KernelOp kernel : kernels) {
      if (failed(ThreadLowering(kernel, comments).run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
} // namespace ashlar
