// Barriers and fences as PTX.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"
#include "passes/hopper_to_thread/Roles.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Every warp of the role takes the same branch: true where all of them saw
/// true.
Value agree(ThreadBuilder &b, Value ready, std::optional<int64_t> barrier) {
  if (!barrier)
    return b.ptx("{\n\t.reg .pred p, q;\n\tsetp.ne.b32 p, $1, 0;\n\t"
                 "vote.sync.all.pred q, p, 0xffffffff;\n\t"
                 "selp.u32 $0, 1, 0, q;\n\t}",
                 b.getI32Type(), b.flag(ready))[0];
  std::string text = "{\n\t.reg .pred p, q;\n\tsetp.ne.b32 p, $1, 0;\n\t"
                     "barrier.cta.red.and.aligned.pred q, " +
                     std::to_string(*barrier) + ", " +
                     std::to_string(target::warpThreads * b.role.getWarps()) +
                     ", p;\n\tselp.u32 $0, 1, 0, q;\n\t}";
  return b.ptx(text, b.getI32Type(), b.flag(ready))[0];
}

} // namespace

static FailureOr<Registers> lower(hopper::SyncOp op, Operands<hopper::SyncOp>,
                                  ThreadBuilder &b) {
  Meeting(op).write(b);
  return Registers();
}

static FailureOr<Registers> lower(hopper::ClusterArriveOp,
                                  Operands<hopper::ClusterArriveOp>,
                                  ThreadBuilder &b) {
  // A barrier is initialised with a fence of its own; to release more to the
  // cluster would cost a fence of the whole GPU.
  b.ptx("barrier.cluster.arrive.relaxed.aligned;");
  return Registers();
}

static FailureOr<Registers> lower(hopper::NamedBarrierOp op,
                                  Operands<hopper::NamedBarrierOp>,
                                  ThreadBuilder &b) {
  b.namedBarrier(op.getArrive() ? "bar.arrive" : "bar.sync",
                 int64_t(op.getId()), int64_t(op.getThreads()),
                 op.getPerInstance());
  return Registers();
}

static FailureOr<Registers> lower(hopper::TurnOp op, Operands<hopper::TurnOp>,
                                  ThreadBuilder &b) {
  const int64_t warpgroups = b.role.getWarps() / target::warpgroupWarps;
  const bool passes = op.getPass() || op.getBegin();
  for (int64_t i = op.getBegin() ? warpgroups - 1 : 0; i < warpgroups; ++i) {
    const int64_t whose = passes ? (i + 1) % warpgroups : i;
    b.ptx("{\n\t.reg .pred p;\n\tsetp.eq.b32 p, $0, " + std::to_string(i) +
              ";\n\t@p bar." + (passes ? "arrive " : "sync ") +
              std::to_string(int64_t(op.getId()) + whose) + ", " +
              std::to_string(2 * target::warpgroupThreads) + ";\n\t}",
          b.warpgroupOfRole());
  }
  return Registers();
}

static FailureOr<Registers>
lower(hopper::WarpSyncOp, Operands<hopper::WarpSyncOp>, ThreadBuilder &b) {
  b.ptx("bar.warp.sync -1;");
  return Registers();
}

static FailureOr<Registers>
lower(hopper::GridWaitOp, Operands<hopper::GridWaitOp>, ThreadBuilder &b) {
  b.ptx("griddepcontrol.wait;");
  return Registers();
}

static FailureOr<Registers> lower(hopper::GridReleaseOp,
                                  Operands<hopper::GridReleaseOp>,
                                  ThreadBuilder &b) {
  b.ptx("griddepcontrol.launch_dependents;");
  return Registers();
}

static FailureOr<Registers> lower(hopper::FenceProxyAsyncOp op,
                                  Operands<hopper::FenceProxyAsyncOp>,
                                  ThreadBuilder &b) {
  b.ptx(op.getCluster() ? "fence.proxy.async.shared::cluster;"
                        : "fence.proxy.async.shared::cta;");
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierFenceOp,
                                  Operands<hopper::MbarrierFenceOp>,
                                  ThreadBuilder &b) {
  b.ptx("fence.mbarrier_init.release.cluster;");
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierInitOp op,
                                  Operands<hopper::MbarrierInitOp> in,
                                  ThreadBuilder &b) {
  b.ptx("mbarrier.init.shared::cta.b64 [$0], " + std::to_string(op.getCount()) +
            ";",
        one(in.getBarrier()));
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierExpectOp op,
                                  Operands<hopper::MbarrierExpectOp> in,
                                  ThreadBuilder &b) {
  const std::string scope =
      op.getPeer() ? "cluster.shared::cluster" : "cta.shared::cta";
  b.ptx("mbarrier.expect_tx.relaxed." + scope + ".b64 [$0], " +
            std::to_string(op.getBytes()) + ";",
        one(in.getBarrier()));
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierArriveAsyncOp,
                                  Operands<hopper::MbarrierArriveAsyncOp> in,
                                  ThreadBuilder &b) {
  b.ptx("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
        one(in.getBarrier()));
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierArriveOp op,
                                  Operands<hopper::MbarrierArriveOp> in,
                                  ThreadBuilder &b) {
  Value barrier = one(in.getBarrier());
  // A release at cluster scope costs a fence of the whole GPU; of a stage, what
  // it would order, reads, is complete by now.
  const std::string release = op.getCluster() ? ".release.cluster" : "";
  if (!op.getRank()) {
    b.ptx("mbarrier.arrive" + release + ".shared::cta.b64 _, [$0];", barrier);
    return Registers();
  }
  b.ptx("{\n\t.reg .b32 remote;\n\t"
        "mapa.shared::cluster.u32 remote, $0, $1;\n\t"
        "mbarrier.arrive" +
            release + ".shared::cluster.b64 _, [remote];\n\t}",
        {barrier, one(in.getRank())});
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierWaitOp op,
                                  Operands<hopper::MbarrierWaitOp> in,
                                  ThreadBuilder &b) {
  b.ptx("{\n\t.reg .pred complete;\n\t$$WAIT:\n\t"
        "mbarrier.try_wait.parity" +
            std::string(op.getCluster() ? ".acquire.cluster" : "") +
            ".shared::cta.b64 complete, [$0], $1;\n\t"
            "@complete bra $$DONE;\n\tbra $$WAIT;\n\t$$DONE:\n\t}",
        {one(in.getBarrier()), one(in.getParity())});
  return Registers();
}

static FailureOr<Registers> lower(hopper::MbarrierTestOp op,
                                  Operands<hopper::MbarrierTestOp> in,
                                  ThreadBuilder &b) {
  Value ready =
      b.ptx("{\n\t.reg .pred complete;\n\t"
            "mbarrier.test_wait.parity.shared::cta.b64 complete, [$1], $2;\n\t"
            "selp.u32 $0, 1, 0, complete;\n\t}",
            b.getI32Type(), {one(in.getBarrier()), one(in.getParity())})[0];
  auto isTrue = [&](Value flag) -> Value {
    return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne, flag,
                                 b.i32(0));
  };
  return Registers{isTrue(agree(b, isTrue(ready), op.getAgree()))};
}

void addBarriers(ThreadPatterns &patterns) {
  patterns
      .add<hopper::SyncOp, hopper::ClusterArriveOp, hopper::NamedBarrierOp,
           hopper::TurnOp, hopper::FenceProxyAsyncOp, hopper::WarpSyncOp,
           hopper::GridWaitOp, hopper::GridReleaseOp, hopper::MbarrierInitOp,
           hopper::MbarrierFenceOp, hopper::MbarrierWaitOp,
           hopper::MbarrierTestOp, hopper::MbarrierArriveOp,
           hopper::MbarrierArriveAsyncOp, hopper::MbarrierExpectOp>();
}

} // namespace ashlar
