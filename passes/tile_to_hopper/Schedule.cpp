// The tile loop: from a CTA's number to the coordinates of its tiles.

#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

SmallVector<Value> KernelLowering::clusterCounts(tile::ScheduleOp schedule,
                                                 Arithmetic a) {
  SmallVector<Value> counts;
  for (auto [i, extent] : llvm::enumerate(schedule.getExtents())) {
    Value tiles = a.ceilDiv(lookup(extent), schedule.getTile()[i]);
    counts.push_back(cluster.size() > 1 ? a.ceilDiv(tiles, cluster.extents()[i])
                                        : tiles);
  }
  return counts;
}

void KernelLowering::lower(tile::ScheduleRangeOp op) {
  auto schedule = op.getSchedule().getDefiningOp<tile::ScheduleOp>();
  Arithmetic a{builder, op.getLoc()};
  Location loc = op.getLoc();
  Value total = a.constant(1);
  for (Value count : clusterCounts(schedule, a))
    total = a.mul(total, count);
  Value first = a.div(special(loc, "ctaid.x"), cluster.size());
  Value step = schedule.getPersistent()
                   ? a.div(special(loc, "nctaid.x"), cluster.size())
                   : total;
  map.map(op.getFirst(), a.add(first, a.mul(instance(loc), step)));
  map.map(op.getEnd(), total);
  map.map(op.getStep(), a.mul(step, role.getInstances()));
}

void KernelLowering::lower(tile::ScheduleCoordinatesOp op) {
  for (auto [result, value] : llvm::zip(
           op.getCoordinates(),
           tileCoordinates(op.getLoc(),
                           op.getSchedule().getDefiningOp<tile::ScheduleOp>(),
                           lookup(op.getNumber()))))
    map.map(result, value);
}

SmallVector<Value> KernelLowering::tileCoordinates(Location loc,
                                                   tile::ScheduleOp schedule,
                                                   Value number) {
  Arithmetic a{builder, loc};
  auto counts = clusterCounts(schedule, a);
  size_t rank = counts.size();
  SmallVector<Value> place(rank);

  if (rank == 1) {
    place[0] = number;
  } else {
    // The last two dimensions make up a plane that the raster walks; the ones
    // before count planes.
    Value rows = counts[rank - 2], columns = counts[rank - 1];
    Value plane = a.mul(rows, columns);
    Value inPlane = rank > 2 ? a.rem(number, plane) : number;
    Value rest = rank > 2 ? a.div(number, plane) : Value();
    for (size_t i = rank - 2; i-- > 0;) {
      place[i] = i ? a.rem(rest, counts[i]) : rest;
      rest = i ? a.div(rest, counts[i]) : rest;
    }
    switch (schedule.getRaster()) {
    case tile::Raster::along_n:
      place[rank - 2] = a.div(inPlane, columns);
      place[rank - 1] = a.rem(inPlane, columns);
      break;
    case tile::Raster::along_m:
      place[rank - 2] = a.rem(inPlane, rows);
      place[rank - 1] = a.div(inPlane, rows);
      break;
    case tile::Raster::grouped: {
      Value group = a.constant(schedule.getGroup());
      Value perGroup = a.mul(group, columns);
      Value firstRow = a.mul(a.div(inPlane, perGroup), group);
      Value height = a.min(a.sub(rows, firstRow), group);
      Value inGroup = a.rem(inPlane, perGroup);
      place[rank - 2] = a.add(firstRow, a.rem(inGroup, height));
      place[rank - 1] = a.div(inGroup, height);
      break;
    }
    }
  }
  if (cluster.size() > 1)
    for (auto [i, own] : llvm::enumerate(cluster.coordinates(builder, loc)))
      place[i] = a.add(a.mul(place[i], cluster.extents()[i]), own);
  return place;
}

} // namespace ashlar
