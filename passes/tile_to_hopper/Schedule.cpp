// The tile loop: from a CTA's number to the coordinates of its tiles.

#include "mlir/IR/Matchers.h"
#include "passes/tile_to_hopper/KernelLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

constexpr int64_t reciprocalBits = 31;

/// A count may be 0 where there are no tiles at all.
Divisor divisor(Arithmetic a, Value value) {
  return {value, a.div(a.constant((int64_t(1) << reciprocalBits) - 1),
                       a.max(value, a.constant(1)))};
}

struct Quotient {
  Value quotient, remainder;
};

/// The reciprocal is rounded down: the product of the two is the quotient or
/// one less, for numbers of less than 31 bits.
Quotient divide(Arithmetic a, Value number, const Divisor &by) {
  if (matchPattern(by.value, m_Constant()))
    return {a.div(number, by.value), a.rem(number, by.value)};
  OpBuilder &b = a.builder;
  auto wide = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, a.loc, b.getI64Type(), value);
  };
  Value product =
      arith::MulIOp::create(b, a.loc, wide(number), wide(by.reciprocal));
  Value bits = arith::ConstantIntOp::create(b, a.loc, reciprocalBits, 64);
  Value high = arith::ShRUIOp::create(b, a.loc, product, bits);
  Value low = arith::IndexCastOp::create(b, a.loc, b.getIndexType(), high);
  Value rest = a.sub(number, a.mul(low, by.value));
  Value isShort = arith::CmpIOp::create(b, a.loc, arith::CmpIPredicate::uge,
                                        rest, by.value);
  return {a.select(isShort, a.add(low, 1), low),
          a.select(isShort, a.sub(rest, by.value), rest)};
}

} // namespace

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

RasterCounts KernelLowering::rasterCounts(tile::ScheduleOp schedule,
                                          Arithmetic a) {
  RasterCounts counts{clusterCounts(schedule, a), {}, {}, {}};
  size_t rank = counts.clusters.size();
  if (rank == 1)
    return counts;
  Value rows = counts.clusters[rank - 2], columns = counts.clusters[rank - 1];
  counts.plane = divisor(a, a.mul(rows, columns));
  switch (schedule.getRaster()) {
  case tile::Raster::along_n:
    counts.band = divisor(a, columns);
    break;
  case tile::Raster::along_m:
    counts.lastColumn = divisor(a, rows);
    break;
  case tile::Raster::grouped:
  case tile::Raster::swizzled:
    int64_t group = schedule.getGroup();
    counts.band = divisor(a, a.mul(columns, group));
    counts.lastColumn = divisor(a, a.rem(rows, group));
    break;
  }
  return counts;
}

void KernelLowering::lower(tile::ScheduleRangeOp op) {
  auto schedule = op.getSchedule().getDefiningOp<tile::ScheduleOp>();
  Arithmetic a{builder, op.getLoc()};
  Location loc = op.getLoc();
  RasterCounts counts = rasterCounts(schedule, a);
  Value total = a.constant(1);
  for (Value count : counts.clusters)
    total = a.mul(total, count);
  rasters[schedule] = std::move(counts);
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
  const RasterCounts &counts = rasters[schedule];
  size_t rank = counts.clusters.size();
  SmallVector<Value> place(rank, a.constant(0));

  if (rank == 1) {
    place[0] = number;
  } else {
    // The last two dimensions make up a plane that the raster walks; the ones
    // before count planes. Those of one tile count nothing.
    ArrayRef<Value> outer = ArrayRef(counts.clusters).drop_back(2);
    size_t first = 0;
    while (first < outer.size() && matchPattern(outer[first], m_One()))
      ++first;
    Value inPlane = number;
    if (first < outer.size()) {
      Quotient planes = divide(a, number, counts.plane);
      inPlane = planes.remainder;
      Value rest = planes.quotient;
      for (size_t i = outer.size(); i-- > first + 1;) {
        place[i] = a.rem(rest, outer[i]);
        rest = a.div(rest, outer[i]);
      }
      place[first] = rest;
    }
    Value &row = place[rank - 2], &column = place[rank - 1];
    switch (schedule.getRaster()) {
    case tile::Raster::along_n: {
      Quotient rows = divide(a, inPlane, counts.band);
      row = rows.quotient, column = rows.remainder;
      break;
    }
    case tile::Raster::along_m: {
      Quotient columns = divide(a, inPlane, counts.lastColumn);
      row = columns.remainder, column = columns.quotient;
      break;
    }
    case tile::Raster::grouped:
    case tile::Raster::swizzled: {
      Divisor whole = divisor(a, a.constant(schedule.getGroup()));
      Quotient bands = divide(a, inPlane, counts.band);
      Value firstRow = a.mul(bands.quotient, whole.value);
      Value left = a.sub(counts.clusters[rank - 2], firstRow);
      Value isLast = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, left, whole.value);
      auto either = [&](Value last, Value other) {
        return a.select(isLast, last, other);
      };
      Divisor height{either(counts.lastColumn.value, whole.value),
                     either(counts.lastColumn.reciprocal, whole.reciprocal)};
      Quotient columns = divide(a, bands.remainder, height);
      row = a.add(firstRow, columns.remainder), column = columns.quotient;
      if (schedule.getRaster() == tile::Raster::swizzled) {
        Value last = a.sub(counts.clusters[rank - 1], a.constant(1));
        column = a.select(a.equal(a.rem(bands.quotient, 2), 1),
                          a.sub(last, column), column);
      }
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
