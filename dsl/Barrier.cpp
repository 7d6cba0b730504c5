#include "ashlar/barrier.h"
#include "Trace.h"

namespace ashlar {

using namespace detail;

Barrier barrier(std::string_view name, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "barrier '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  auto op = trace.create<tile::BarrierOp>(
      where, tile::BarrierType::get(trace.context()), llvm::StringRef(name));
  return trace.declare<Barrier>(HandleKind::barrier, op, where);
}

void Barrier::sync(SourceLocation where) const {
  Trace &trace = Trace::current(where);
  trace.create<tile::SyncOp>(where, trace.read(*this, where));
}

void Barrier::arrive(SourceLocation where) const {
  Trace &trace = Trace::current(where);
  trace.create<tile::ArriveOp>(where, trace.read(*this, where));
}

void in_order(const Body<> &body, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.create<tile::AwaitTurnOp>(where);
  body();
  trace.create<tile::PassTurnOp>(where);
}

namespace {

void requireCluster(Trace &trace, const char *call, SourceLocation where) {
  if (!trace.kernel().getCluster())
    fail(where, std::string(call) +
                    " is of a cluster, and the kernel has none: call "
                    "cluster({...}) before the roles");
}

} // namespace

Index cluster_rank(SourceLocation where) {
  Trace &trace = Trace::current(where);
  requireCluster(trace, "cluster_rank", where);
  return trace.declare<Index>(HandleKind::index,
                              trace.create<tile::ClusterRankOp>(
                                  where, mlir::IndexType::get(trace.context())),
                              where);
}

void cluster_sync(SourceLocation where) {
  Trace &trace = Trace::current(where);
  requireCluster(trace, "cluster_sync", where);
  trace.create<tile::ClusterSyncOp>(where);
}

} // namespace ashlar
