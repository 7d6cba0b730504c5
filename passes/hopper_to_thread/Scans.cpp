// Fragments scanned along a dimension.

#include "compiler/layout/Scan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Combine.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// What each run of a thread's neighbours is together, by the coordinate of its
/// first element; the neighbours by those of one another first.
using Runs = std::map<std::vector<int64_t>, Value>;

/// What one thread does of a scan.
class ThreadScan {
public:
  ThreadScan(ThreadBuilder &b, const FragmentType &type, int64_t dimension,
             tile::Reduction how)
      : scan(*layout::warpScan(type.layout, int(dimension))), b(b), type(type),
        dimension(dimension), how(how) {}

  /// What the runs are together that the last step ends with.
  Runs join(ValueRange values);

  /// What comes before each element, and what it and they are together, given
  /// what comes before the runs that join() gave: null for nothing.
  Registers spread(Runs before, ValueRange values, bool exclusive);

  /// What comes before each run, of the totals of all.
  Runs behind(const Runs &runs, RankedTensorType totals, ValueRange values);

  const layout::WarpScan scan;

private:
  std::vector<int64_t> coordinate(int64_t value) {
    return layout::coordinate(type.layout, 0, value);
  }
  /// Of the run of so many elements that a coordinate lies in.
  std::vector<int64_t> begin(std::vector<int64_t> at, int64_t run) {
    at[dimension] -= at[dimension] % run;
    return at;
  }
  Value together(Value a, Value c) {
    return combine(b, how, OfNaN::kept, a, c);
  }
  Value select(Value condition, Value a, Value c) {
    return arith::SelectOp::create(b, b.loc, condition, a, c);
  }
  Value hasBit(int64_t lane) {
    Value bit = b.bitAnd(b.laneOfWarp(), b.i32(lane));
    return arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne, bit,
                                 b.i32(0));
  }

  ThreadBuilder &b;
  const FragmentType &type;
  const int64_t dimension;
  const tile::Reduction how;
  std::vector<Runs> joined;   ///< by each step
  std::vector<Runs> ofOthers; ///< in the other lane of each step
};

Runs ThreadScan::join(ValueRange values) {
  Runs runs;
  for (auto [v, value] : llvm::enumerate(values))
    runs[coordinate(int64_t(v))] = value;
  int64_t run = 1;
  for (const layout::WarpScan::Step &step : scan.steps) {
    run *= step.extent;
    joined.push_back(runs);
    Runs others, next;
    if (step.lane) {
      for (auto &[at, value] : runs) {
        others[at] = b.fromLane(value, step.lane);
        next[begin(at, run)] = together(value, others[at]);
      }
    } else {
      std::map<std::vector<int64_t>, SmallVector<Value>> groups;
      for (auto &[at, value] : runs)
        groups[begin(at, run)].push_back(value);
      for (auto &[at, group] : groups)
        next[at] = combineAll(b, how, OfNaN::kept, group);
    }
    ofOthers.push_back(others);
    runs = next;
  }
  return runs;
}

Registers ThreadScan::spread(Runs before, ValueRange values, bool exclusive) {
  Value nothing = neutral(b, how, type.element);
  int64_t run = scan.run;
  for (size_t i = scan.steps.size(); i-- > 0;) {
    const layout::WarpScan::Step &step = scan.steps[i];
    Runs of = std::move(before);
    before.clear();
    Value isBehind = step.lane ? hasBit(step.lane) : Value();
    for (auto &[at, value] : joined[i]) {
      Value &reached = of[begin(at, run)];
      before[at] = reached;
      if (step.lane) {
        Value other = ofOthers[i].at(at);
        before[at] =
            select(isBehind, reached ? together(reached, other) : other,
                   reached ? reached : nothing);
      } else {
        reached = reached ? together(reached, value) : value;
      }
    }
    run /= step.extent;
  }
  Registers results;
  for (auto [v, value] : llvm::enumerate(values)) {
    Value reached = before[coordinate(int64_t(v))];
    if (exclusive)
      results.push_back(reached ? reached : nothing);
    else
      results.push_back(reached ? together(reached, value) : value);
  }
  return results;
}

Runs ThreadScan::behind(const Runs &runs, RankedTensorType totals,
                        ValueRange values) {
  const FragmentType all(totals);
  Runs total; // by the other coordinates and the number of the run
  for (auto [v, value] : llvm::enumerate(values))
    total[layout::coordinate(all.layout, 0, int64_t(v))] = value;
  // The run of the thread's first value, of those of other threads' too.
  const layout::Layout threads =
      layout::perDimension(type.layout.thread, type.layout.shape)[dimension];
  std::set<int64_t> firsts;
  for (int64_t thread = 0; thread < threads.size(); ++thread)
    firsts.insert(threads(thread) / scan.run);
  Value first = b.div(placeOf(b, type).thread[dimension], scan.run);

  Runs before;
  std::map<std::vector<int64_t>, SmallVector<Value>> lines;
  for (auto &[at, unused] : runs) {
    std::vector<int64_t> line = at;
    line.erase(line.begin() + dimension);
    SmallVector<Value> &reached = lines[line];
    if (reached.empty()) {
      reached.push_back(neutral(b, how, type.element));
      for (int64_t run = 0; run + 1 < scan.runs; ++run) {
        std::vector<int64_t> place = line;
        place.push_back(run);
        reached.push_back(run ? together(reached.back(), total.at(place))
                              : total.at(place));
      }
    }
    const int64_t own = at[dimension] / scan.run;
    Value result;
    for (int64_t other : firsts)
      result = result ? select(b.equal(first, b.i32(other)),
                               reached[other + own], result)
                      : reached[other + own];
    before[at] = result;
  }
  return before;
}

} // namespace

static FailureOr<Registers> lower(hopper::WarpTotalsOp op,
                                  Operands<hopper::WarpTotalsOp> in,
                                  ThreadBuilder &b) {
  const FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  const FragmentType to(cast<RankedTensorType>(op.getResult().getType()));
  const int64_t dimension = op.getDimension();
  ThreadScan scan(b, type, dimension, op.getReduction());
  const Runs runs = scan.join(in.getValue());
  Registers results;
  for (int64_t v = 0; v < to.values; ++v) {
    std::vector<int64_t> at = layout::coordinate(to.layout, 0, v);
    const int64_t begin = at.back() * scan.scan.run;
    at.pop_back();
    at.insert(at.begin() + dimension, begin);
    results.push_back(runs.at(at));
  }
  return results;
}

static FailureOr<Registers> lower(hopper::WarpScanOp op,
                                  Operands<hopper::WarpScanOp> in,
                                  ThreadBuilder &b) {
  const FragmentType type(cast<RankedTensorType>(op.getValue().getType()));
  ThreadScan scan(b, type, op.getDimension(), op.getReduction());
  const Runs runs = scan.join(in.getValue());
  Runs before;
  if (op.getTotals())
    before = scan.behind(runs, cast<RankedTensorType>(op.getTotals().getType()),
                         in.getTotals());
  return scan.spread(before, in.getValue(), op.getExclusive());
}

void addScans(ThreadPatterns &patterns) {
  patterns.add<hopper::WarpTotalsOp, hopper::WarpScanOp>();
}

} // namespace ashlar
