// tile-expand-schedules: from a CTA's number to the coordinates of its tiles,
// by arithmetic.

#include "mlir/IR/Matchers.h"
#include "passes/Cluster.h"
#include "passes/InRole.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_TILEEXPANDSCHEDULES
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A divisor that stays the same over a loop of tiles, with its reciprocal
/// in units of 2^-32: a division takes the time of two multiplications.
struct Divisor {
  Value value, reciprocal;
};

/// How the tiles of a schedule are counted, as a role's loop goes over them.
struct RasterCounts {
  SmallVector<Value> clusters; ///< along each dimension
  Divisor plane;
  /// Tiles in a step of each mode of the raster but the fastest, which takes
  /// one; and at the edge of the other dimension, where that cuts the step.
  struct Step {
    Divisor whole;
    std::optional<Divisor> atEdge;
  };
  SmallVector<Step> steps;
};

/// A count may be 0 where there are no tiles at all.
Divisor divisor(Arithmetic a, Value value) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {value, a.constant(0xffffffff /
                              std::max<int64_t>(constant.getSExtValue(), 1))};
  return {value, hopper::ReciprocalOp::create(a.builder, a.loc, value)};
}

struct Quotient {
  Value quotient, remainder;
};

/// The upper half of the product with the reciprocal is the quotient or one
/// less, for numbers of less than 31 bits.
Quotient divide(Arithmetic a, Value number, const Divisor &by) {
  if (matchPattern(by.value, m_Constant()))
    return {a.div(number, by.value), a.rem(number, by.value)};
  OpBuilder &b = a.builder;
  auto wide = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(b, a.loc, b.getI64Type(), value);
  };
  Value product =
      arith::MulIOp::create(b, a.loc, wide(number), wide(by.reciprocal));
  Value bits = arith::ConstantIntOp::create(b, a.loc, 32, 64);
  Value high = arith::ShRUIOp::create(b, a.loc, product, bits);
  Value low = arith::IndexCastUIOp::create(b, a.loc, b.getIndexType(), high);
  Value rest = a.sub(number, a.mul(low, by.value));
  Value isShort = arith::CmpIOp::create(b, a.loc, arith::CmpIPredicate::uge,
                                        rest, by.value);
  return {a.select(isShort, a.add(low, 1), low),
          a.select(isShort, a.sub(rest, by.value), rest)};
}

/// A mode of a raster, in tiles: what one step of it moves along its dimension,
/// and what the step lies in, a block that slower modes have cut out. A block
/// has all of the plane where it has no extent.
struct Walk {
  tile::RasterMode mode;
  int64_t step;
  std::optional<int64_t> along, across;

  /// Which of the plane's two extents.
  size_t dimension() const { return mode.along == tile::Along::n; }
  size_t other() const { return 1 - dimension(); }
};

/// The modes of a raster, the slowest first.
SmallVector<Walk> walks(tile::RasterAttr raster) {
  SmallVector<Walk> walks;
  int64_t steps[2] = {1, 1};
  for (const tile::RasterMode &mode : raster.getModes()) {
    int64_t &step = steps[mode.along == tile::Along::n];
    walks.push_back({mode, step, {}, {}});
    step *= mode.extent.value_or(1);
  }
  std::reverse(walks.begin(), walks.end());
  std::optional<int64_t> block[2];
  for (Walk &walk : walks) {
    walk.along = block[walk.dimension()];
    walk.across = block[walk.other()];
    block[walk.dimension()] = walk.step;
  }
  return walks;
}

/// The row and the column of the tile that comes `number`th.
void placeInPlane(Arithmetic a, tile::RasterAttr raster,
                  const RasterCounts &counts, Value number,
                  MutableArrayRef<Value> place) {
  ArrayRef<Value> extents = ArrayRef(counts.clusters).take_back(2);
  // Whether the block lies at the edge along each dimension, once it is cut.
  Value isAtEdge[2], slower;
  auto move = [&](const Walk &walk, Value nth) {
    const size_t d = walk.dimension();
    if (walk.mode.alternating) {
      Value count = extents[d];
      if (walk.along)
        count = *walk.along == 1
                    ? a.constant(1)
                    : a.select(isAtEdge[d], a.rem(count, *walk.along),
                               a.constant(*walk.along));
      nth = a.select(a.equal(a.rem(slower, 2), 1),
                     a.sub(a.sub(count, a.constant(1)), nth), nth);
    }
    Value moved = a.mul(nth, walk.step);
    place[d] = walk.along ? a.add(place[d], moved) : moved;
    if (walk.step > 1)
      isAtEdge[d] = arith::CmpIOp::create(
          a.builder, a.loc, arith::CmpIPredicate::ult,
          a.sub(extents[d], place[d]), a.constant(walk.step));
  };
  const SmallVector<Walk> all = walks(raster);
  for (auto [walk, step] : llvm::zip(all, counts.steps)) {
    Divisor by = step.whole;
    if (step.atEdge) {
      Value isCut = isAtEdge[walk.other()];
      by = {a.select(isCut, step.atEdge->value, by.value),
            a.select(isCut, step.atEdge->reciprocal, by.reciprocal)};
    }
    Quotient steps = divide(a, number, by);
    move(walk, steps.quotient);
    slower = steps.quotient;
    number = steps.remainder;
  }
  move(all.back(), number);
}

tile::ScheduleOp scheduleOf(Value value) {
  return value.getDefiningOp<tile::ScheduleOp>();
}

/// Whether the extents are known to the device only.
bool isInRole(tile::ScheduleOp schedule) {
  return !isa<tile::KernelOp>(schedule->getParentOp());
}

/// Expands the schedules of a role.
class Expansion {
public:
  Expansion(tile::RoleOp role, const Cluster &cluster)
      : role(role), cluster(cluster) {}

  void run() {
    SmallVector<Operation *> ops;
    role.walk([&](Operation *op) {
      if (isa<tile::ScheduleRangeOp, tile::ScheduleCoordinatesOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Arithmetic a{builder, op->getLoc()};
      if (auto range = dyn_cast<tile::ScheduleRangeOp>(op))
        expand(range, a);
      else
        expand(cast<tile::ScheduleCoordinatesOp>(op), a);
      op->erase();
    }
  }

private:
  RasterCounts count(tile::ScheduleOp schedule, Arithmetic a);
  void expand(tile::ScheduleRangeOp op, Arithmetic a);
  void expand(tile::ScheduleCoordinatesOp op, Arithmetic a);

  /// The counts of a schedule at an operation: of a range before it, or anew.
  RasterCounts countsAt(tile::ScheduleCoordinatesOp op,
                        tile::ScheduleOp schedule, Arithmetic a);

  tile::RoleOp role;
  const Cluster &cluster;
  /// What ranges have become, behind which their counts are known.
  struct Range {
    tile::ScheduleOp schedule;
    Operation *last;
    RasterCounts counts;
  };
  SmallVector<Range> ranges;
};

RasterCounts Expansion::count(tile::ScheduleOp schedule, Arithmetic a) {
  RasterCounts counts;
  for (auto [i, extent] : llvm::enumerate(schedule.getExtents())) {
    // The launch has seen that the extents of the grid are not below zero.
    Value length = isInRole(schedule) ? a.builder.createOrFold<arith::MaxSIOp>(
                                            a.loc, extent, a.constant(0))
                                      : extent;
    Value tiles = a.ceilDiv(length, schedule.getTile()[i]);
    counts.clusters.push_back(
        cluster.size() > 1 ? a.ceilDiv(tiles, cluster.extents()[i]) : tiles);
  }
  if (!schedule.getRaster())
    return counts;
  ArrayRef<Value> extents = ArrayRef(counts.clusters).take_back(2);
  counts.plane = divisor(a, a.mul(extents[0], extents[1]));
  const SmallVector<Walk> all = walks(*schedule.getRaster());
  for (const Walk &walk : ArrayRef(all).drop_back()) {
    Value across = extents[walk.other()];
    RasterCounts::Step &step = counts.steps.emplace_back();
    step.whole = divisor(a, walk.across ? a.constant(*walk.across * walk.step)
                                        : a.mul(across, walk.step));
    if (walk.across && *walk.across > 1)
      step.atEdge = divisor(a, a.mul(a.rem(across, *walk.across), walk.step));
  }
  return counts;
}

void Expansion::expand(tile::ScheduleRangeOp op, Arithmetic a) {
  tile::ScheduleOp schedule = scheduleOf(op.getSchedule());
  RasterCounts own = count(schedule, a);
  Value total = a.constant(1);
  for (Value clusters : own.clusters)
    total = a.mul(total, clusters);
  auto special = [&](StringRef name) {
    return hopper::SpecialRegisterOp::create(a.builder, a.loc, name);
  };
  auto ctas = special("ctaid.x");
  ranges.push_back({schedule, ctas, std::move(own)});
  Value first = a.div(ctas, cluster.size());
  Value step = schedule.getPersistent()
                   ? a.div(special("nctaid.x"), cluster.size())
                   : total;
  if (op.getAfter()) {
    // As many tiles further back, around the grid.
    Value back = a.sub(first, a.rem(op.getAfter(), step));
    Value isBefore = arith::CmpIOp::create(
        a.builder, a.loc, arith::CmpIPredicate::slt, back, a.constant(0));
    first = a.select(isBefore, a.add(back, step), back);
  }
  op->replaceAllUsesWith(ValueRange{first, total, step});
}

RasterCounts Expansion::countsAt(tile::ScheduleCoordinatesOp op,
                                 tile::ScheduleOp schedule, Arithmetic a) {
  for (const Range &range : ranges) {
    Operation *around = range.last->getBlock()->findAncestorOpInBlock(*op);
    if (range.schedule == schedule && around &&
        range.last->isBeforeInBlock(around))
      return range.counts;
  }
  return count(schedule, a);
}

void Expansion::expand(tile::ScheduleCoordinatesOp op, Arithmetic a) {
  tile::ScheduleOp schedule = scheduleOf(op.getSchedule());
  const RasterCounts counts = countsAt(op, schedule, a);
  Value number = op.getNumber();
  const size_t rank = counts.clusters.size();
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
    placeInPlane(a, *schedule.getRaster(), counts, inPlane,
                 MutableArrayRef(place).take_back(2));
  }
  if (cluster.size() > 1)
    for (auto [i, own] : llvm::enumerate(cluster.coordinates(a.builder, a.loc)))
      place[i] = a.add(a.mul(place[i], cluster.extents()[i]), own);
  for (auto [i, coordinate] : llvm::enumerate(place))
    op.getCoordinates()[i].replaceAllUsesWith(
        tile::TileCoordinateOp::create(a.builder, a.loc, coordinate, i));
}

struct TileExpandSchedules
    : impl::TileExpandSchedulesBase<TileExpandSchedules> {
  void runOnOperation() override {
    const Cluster cluster(getOperation());
    for (auto role : getOperation().getBody().getOps<tile::RoleOp>())
      Expansion(role, cluster).run();
  }
};

} // namespace
} // namespace ashlar
