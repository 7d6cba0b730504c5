#include "ashlar/schedule.h"
#include "Describe.h"
#include "Trace.h"
#include "compiler/target/Target.h"

namespace ashlar {

using namespace detail;

namespace {

/// Null for one dimension, which has one order.
tile::RasterAttr rasterOf(Trace &trace, const Raster &raster, size_t rank,
                          SourceLocation where) {
  if (rank < 2) {
    if (raster != Raster::along_n())
      fail(where, "the tile loop has one dimension and a raster of two; leave "
                  "the raster out");
    return {};
  }
  llvm::SmallVector<tile::RasterMode> modes;
  for (const Raster::Mode &mode : raster.modes)
    modes.push_back({mode.along == Along::m ? tile::Along::m : tile::Along::n,
                     mode.extent, mode.alternating});
  if (std::string reason = tile::whyNotRaster(modes); !reason.empty())
    fail(where, reason);
  return tile::RasterAttr::get(trace.context(), modes);
}

/// The cluster and a tile loop, once both are declared.
void checkClusterRank(Trace &trace, tile::ScheduleOp loop,
                      SourceLocation where) {
  auto cluster = trace.kernel().getCluster();
  if (cluster && cluster->size() != loop.getTile().size())
    fail(where, "the cluster has " + std::to_string(cluster->size()) +
                    " dimensions and the tile loop " +
                    std::to_string(loop.getTile().size()) +
                    "; give the cluster's extent along each dimension of "
                    "the tile loop");
}

} // namespace

Handle detail::makeSchedule(const Index *extents, const int64_t *tile,
                            size_t rank, bool persistent, const Raster &raster,
                            SourceLocation where) {
  Trace &trace = Trace::current(where);
  if (!trace.isInRole())
    trace.requireKernelFrame("the tile loop", where);
  else if (!persistent)
    fail(where, "this loop stands in a role and has a CTA for each tile, and "
                "only the device knows how many there are: use persistent, or "
                "declare it beside the roles");
  if (rank > 5)
    fail(where, "the tile loop has " + std::to_string(rank) +
                    " dimensions; it has 1 to 5");
  Shape shape(std::vector<int64_t>(tile, tile + rank));
  auto tileExtents = checkedShape("the tile of the tile loop", shape, where);
  tile::RasterAttr order = rasterOf(trace, raster, rank, where);
  llvm::SmallVector<mlir::Value> values;
  for (const Index *extent = extents; extent != extents + rank; ++extent)
    values.push_back(trace.read(*extent, where));
  auto op = trace.create<tile::ScheduleOp>(
      where, tile::ScheduleType::get(trace.context(), rank), values,
      tileExtents, persistent, order);
  checkClusterRank(trace, op, where);
  return trace.declareHandle(HandleKind::schedule, op, where);
}

namespace {

tile::ScheduleOp scheduleInRole(Trace &trace, const Handle &loop,
                                const char *call, SourceLocation where) {
  if (!trace.isInRole())
    fail(where, std::string(call) + " of a tile loop stands outside every "
                                    "role; CTAs take tiles in roles: move it "
                                    "into one");
  return trace.read(loop, where).getDefiningOp<tile::ScheduleOp>();
}

} // namespace

Index detail::turnsOf(const Handle &loop, SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto range = trace.create<tile::ScheduleRangeOp>(
      where, scheduleInRole(trace, loop, "turns()", where),
      /*after=*/mlir::Value());
  return trace.declare<Index>(HandleKind::index, range.getEnd(), where);
}

static tile::ScheduleRangeOp persistentRange(Trace &trace, const Handle &loop,
                                             const char *call,
                                             SourceLocation where) {
  tile::ScheduleOp schedule = scheduleInRole(trace, loop, call, where);
  if (!schedule.getPersistent())
    fail(where, "this loop has a CTA for each tile, and nobody knows how many "
                "of them run at a time; " +
                    std::string(call) + " is of a persistent loop");
  return trace.create<tile::ScheduleRangeOp>(where, schedule,
                                             /*after=*/mlir::Value());
}

Index detail::ctaOf(const Handle &loop, SourceLocation where) {
  Trace &trace = Trace::current(where);
  return trace.declare<Index>(
      HandleKind::index,
      persistentRange(trace, loop, "cta()", where).getFirst(), where);
}

Index detail::ctasOf(const Handle &loop, SourceLocation where) {
  Trace &trace = Trace::current(where);
  return trace.declare<Index>(
      HandleKind::index,
      persistentRange(trace, loop, "ctas()", where).getStep(), where);
}

void detail::checkAfter(const Handle &loop, SourceLocation where) {
  Trace &trace = Trace::current(where);
  if (!scheduleInRole(trace, loop, "after()", where).getPersistent())
    fail(where, "this loop has a CTA for each tile, which takes it whatever "
                "comes before; after() is of a persistent loop");
}

void ctas_per_sm(int64_t count, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireKernelFrame("ctas_per_sm", where);
  if (!target::fitOneSm(count, target::warpThreads))
    fail(where, "ctas_per_sm is " + std::to_string(count) +
                    "; an SM has room for 1 to " +
                    std::to_string(target::mostCtas) + " CTAs");
  trace.kernel().setCtasPerSm(count);
}

void cluster(std::initializer_list<int64_t> extents, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireKernelFrame("the cluster", where);
  Shape shape(extents);
  auto checked = checkedShape("the cluster", shape, where);
  int64_t ctas = 1;
  for (int64_t extent : checked)
    ctas *= extent;
  if (ctas > target::portableCluster)
    fail(where, "the cluster of " + shape.str() + " has " +
                    std::to_string(ctas) + " CTAs; the portable limit is " +
                    std::to_string(target::portableCluster) +
                    ": use a smaller one");
  if (trace.kernel().getCluster())
    fail(where, "the kernel has a cluster already; call cluster once");
  trace.kernel().setCluster(checked);
  trace.kernel().walk(
      [&](tile::ScheduleOp loop) { checkClusterRank(trace, loop, where); });
}

} // namespace ashlar
