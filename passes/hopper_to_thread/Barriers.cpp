// Barriers and fences as PTX.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/ThreadLowering.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ashlar {

using namespace mlir;

/// Every warp of the role takes the same branch: true where all of them saw
/// true.
Value ThreadLowering::agree(Value ready, std::optional<int64_t> barrier) {
  if (!barrier)
    return b.ptx("{\n\t.reg .pred p, q;\n\tsetp.ne.b32 p, $1, 0;\n\t"
                 "vote.sync.all.pred q, p, 0xffffffff;\n\t"
                 "selp.u32 $0, 1, 0, q;\n\t}",
                 b.getI32Type(), b.flag(ready))[0];
  std::string text = "{\n\t.reg .pred p, q;\n\tsetp.ne.b32 p, $1, 0;\n\t"
                     "barrier.cta.red.and.aligned.pred q, " +
                     std::to_string(*barrier) + ", " +
                     std::to_string(32 * role.getWarps()) +
                     ", p;\n\tselp.u32 $0, 1, 0, q;\n\t}";
  return b.ptx(text, b.getI32Type(), b.flag(ready))[0];
}

void ThreadLowering::lowerSync(hopper::SyncOp op) {
  if (!op.getCluster()) {
    b.ptx("bar.sync 0;");
    return;
  }
  if (!op.getArrived())
    b.ptx("barrier.cluster.arrive.release.aligned;");
  b.ptx("barrier.cluster.wait.acquire.aligned;");
}

LogicalResult ThreadLowering::lowerBarrier(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<hopper::SyncOp>([&](auto sync) { lowerSync(sync); })
      .Case<hopper::ClusterArriveOp>([&](auto) {
        // A barrier is initialised with a fence of its own; to release more to
        // the cluster would cost a fence of the whole GPU.
        b.ptx("barrier.cluster.arrive.relaxed.aligned;");
      })
      .Case<hopper::NamedBarrierOp>([&](auto barrier) {
        std::string name = barrier.getArrive() ? "bar.arrive " : "bar.sync ";
        std::string threads = ", " + std::to_string(barrier.getThreads()) + ";";
        if (barrier.getPerInstance())
          b.ptx(name + "$0" + threads,
                b.add(instance(), int64_t(barrier.getId())));
        else
          b.ptx(name + std::to_string(barrier.getId()) + threads);
      })
      .Case<hopper::WarpSyncOp>([&](auto) { b.ptx("bar.warp.sync -1;"); })
      .Case<hopper::GridWaitOp>([&](auto) { b.ptx("griddepcontrol.wait;"); })
      .Case<hopper::GridReleaseOp>(
          [&](auto) { b.ptx("griddepcontrol.launch_dependents;"); })
      .Case<hopper::FenceProxyAsyncOp>(
          [&](auto) { b.ptx("fence.proxy.async.shared::cta;"); })
      .Case<hopper::MbarrierFenceOp>(
          [&](auto) { b.ptx("fence.mbarrier_init.release.cluster;"); })
      .Case<hopper::MbarrierInitOp>([&](auto init) {
        b.ptx("mbarrier.init.shared::cta.b64 [$0], " +
                  std::to_string(init.getCount()) + ";",
              lookup(init.getBarrier()));
      })
      .Case<hopper::MbarrierExpectOp>([&](auto expect) {
        b.ptx("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], " +
                  std::to_string(expect.getBytes()) + ";",
              lookup(expect.getBarrier()));
      })
      .Case<hopper::MbarrierArriveAsyncOp>([&](auto arrive) {
        b.ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
              lookup(arrive.getBarrier()));
      })
      .Case<hopper::MbarrierArriveOp>([&](auto arrive) {
        Value barrier = lookup(arrive.getBarrier());
        if (!arrive.getRank()) {
          b.ptx("mbarrier.arrive.shared::cta.b64 _, [$0];", barrier);
          return;
        }
        // A release at cluster scope would cost a fence of the whole GPU; what
        // it would order, reads of the stage, is complete by now.
        b.ptx("{\n\t.reg .b32 remote;\n\t"
              "mapa.shared::cluster.u32 remote, $0, $1;\n\t"
              "mbarrier.arrive.shared::cluster.b64 _, [remote];\n\t}",
              {barrier, lookup(arrive.getRank())});
      })
      .Case<hopper::MbarrierWaitOp>([&](auto wait) {
        b.ptx("{\n\t.reg .pred complete;\n\tWAIT:\n\t"
              "mbarrier.try_wait.parity" +
                  std::string(wait.getCluster() ? ".acquire.cluster" : "") +
                  ".shared::cta.b64 complete, [$0], $1;\n\t"
                  "@complete bra DONE;\n\tbra WAIT;\n\tDONE:\n\t}",
              {lookup(wait.getBarrier()), lookup(wait.getParity())});
      })
      .Case<hopper::MbarrierTestOp>([&](auto test) {
        Value ready = b.ptx(
            "{\n\t.reg .pred complete;\n\t"
            "mbarrier.test_wait.parity.shared::cta.b64 complete, [$1], $2;\n\t"
            "selp.u32 $0, 1, 0, complete;\n\t}",
            b.getI32Type(),
            {lookup(test.getBarrier()), lookup(test.getParity())})[0];
        auto isTrue = [&](Value flag) -> Value {
          return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne, flag,
                                       b.i32(0));
        };
        Value everywhere = agree(isTrue(ready), test.getAgree());
        values.set(test.getResult(), {isTrue(everywhere)});
      });
  return success();
}

} // namespace ashlar
