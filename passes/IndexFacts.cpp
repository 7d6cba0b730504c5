#include "passes/IndexFacts.h"
#include "compiler/hopper/Hopper.h"
#include "compiler/target/Target.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "passes/Cluster.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min(),
                  most = std::numeric_limits<int64_t>::max();

/// As many as 8192 SMs hold: a persistent loop steps by no more.
constexpr int64_t mostResidentCtas = int64_t(target::mostCtas) << 13;

/// Bits in which no operation on two indices overflows.
constexpr unsigned width = 128;

/// The values that this one may be, by the way that was taken to it: the first
/// or a later iteration of a loop, one or the other side of a branch.
SmallVector<Value> alternatives(Value value) {
  auto ofLoop = [](scf::ForOp loop, unsigned i) -> SmallVector<Value> {
    return {loop.getInitArgs()[i], loop.getYieldedValues()[i]};
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    return ofLoop(loop, argument.getArgNumber() - 1);
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(
             value.getDefiningOp())
      .Case<scf::ForOp>([&](auto loop) { return ofLoop(loop, number); })
      .Case<scf::IfOp>([&](auto branch) -> SmallVector<Value> {
        return {branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)};
      })
      .Case<arith::SelectOp>([](auto select) -> SmallVector<Value> {
        return {select.getTrueValue(), select.getFalseValue()};
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

scf::ForOp loopCountedBy(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && argument == loop.getInductionVar() ? loop : scf::ForOp();
}

int64_t powerOfTwoIn(int64_t number) {
  return number ? std::gcd(number, int64_t(1) << 20) : 0;
}

/// What a value is computed from.
SmallVector<Value> sources(Value value) {
  if (SmallVector<Value> ways = alternatives(value); !ways.empty())
    return ways;
  if (scf::ForOp loop = loopCountedBy(value))
    return {loop.getLowerBound(), loop.getStep(), loop.getUpperBound()};
  Operation *op = value.getDefiningOp();
  if (auto coordinates = dyn_cast_if_present<tile::ScheduleCoordinatesOp>(op)) {
    auto schedule = coordinates.getSchedule().getDefiningOp<tile::ScheduleOp>();
    return {schedule.getExtents()[cast<OpResult>(value).getResultNumber()]};
  }
  // Numbers of memory, extended to 32 bits.
  if (isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return {};
  if (op && (isa<arith::ArithDialect>(op->getDialect()) ||
             isa<tile::MultipleOfOp, tile::AtMostOp, tile::InTurnsOp>(op)))
    return llvm::to_vector(
        llvm::make_filter_range(op->getOperands(), [](Value operand) {
          return operand.getType().isIntOrIndex() &&
                 !operand.getType().isInteger(1);
        }));
  return {};
}

bool isEmpty(const IndexFact &fact) { return fact.low > fact.high; }

bool divides(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Between which numbers an operation's result lies.
std::pair<int64_t, int64_t> rangeOf(Operation *op, ArrayRef<IndexFact> from) {
  auto inferred = dyn_cast<InferIntRangeInterface>(op);
  if (!inferred)
    return {least, most};
  SmallVector<ConstantIntRanges> ranges;
  for (auto [i, fact] : llvm::enumerate(from)) {
    auto [low, high, divisor] = fact;
    // Nobody divides by 0.
    if (i == 1 && divides(op)) {
      low += low == 0;
      high -= high == 0;
      if (low > high)
        return {least, most};
    }
    ranges.push_back(ConstantIntRanges::fromSigned(
        APInt(width, static_cast<uint64_t>(low), /*isSigned=*/true),
        APInt(width, static_cast<uint64_t>(high), /*isSigned=*/true)));
  }
  std::pair<int64_t, int64_t> result(least, most);
  inferred.inferResultRanges(
      ranges, [&](Value, const ConstantIntRanges &range) {
        auto saturated = [](const APInt &number) {
          return number.truncSSat(64).getSExtValue();
        };
        result = {saturated(range.smin()), saturated(range.smax())};
      });
  return result;
}

/// Coordinates of a schedule lie below its tiles along that dimension, rounded
/// up to whole clusters; a loop has fewer than an index counts.
IndexFact coordinateOf(tile::ScheduleCoordinatesOp op, unsigned dimension,
                       const IndexFact &extent) {
  auto schedule = op.getSchedule().getDefiningOp<tile::ScheduleOp>();
  const Cluster cluster(op->getParentOfType<tile::KernelOp>());
  return {0,
          std::min(extent.high / schedule.getTile()[dimension] + cluster.size(),
                   target::largestIndex),
          1};
}

} // namespace

IndexFacts::IndexFacts(ValueRange indices, bool believesPromises)
    : believesPromises(believesPromises) {
  SmallVector<Value> found(indices);
  while (!found.empty()) {
    Value value = found.pop_back_val();
    if (entries.contains(value))
      continue;
    Entry entry{sources(value)};
    llvm::append_range(found, entry.sources);
    entries.insert({value, std::move(entry)});
  }
  for (auto &[value, entry] : entries)
    for (Value source : entry.sources)
      entries.find(source)->second.users.push_back(&entry);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[value, entry] : llvm::reverse(entries))
      changed |= weaken(value, entry);
  }
}

/// Makes what is assumed of a value follow from its sources, where those have
/// changed. Tells whether it changed itself.
bool IndexFacts::weaken(Value value, Entry &entry) const {
  if (!std::exchange(entry.isDue, false))
    return false;
  // After so many times what still grows may grow without end.
  constexpr int patience = 8;
  auto &[sources, fact, users, weakened, isDue] = entry;
  IndexFact next = follow(value, sources);
  next.low = std::min(next.low, fact.low);
  next.high = std::max(next.high, fact.high);
  if (weakened > patience && next.low < fact.low)
    next.low = least;
  if (weakened > patience && next.high > fact.high)
    next.high = most;
  if (next == fact)
    return false;
  fact = next;
  ++weakened;
  for (Entry *user : users)
    user->isDue = true;
  return true;
}

IndexFact IndexFacts::follow(Value value, ArrayRef<Value> values) const {
  const IndexFact bits32 = {std::numeric_limits<int32_t>::min(),
                            std::numeric_limits<int32_t>::max(), 1};
  Operation *op = value.getDefiningOp();
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    int64_t number = constant.getSExtValue();
    return {number, number, powerOfTwoIn(number)};
  }
  if (auto range = dyn_cast_if_present<tile::ScheduleRangeOp>(op);
      range && value != range.getEnd() &&
      range.getSchedule().getDefiningOp<tile::ScheduleOp>().getPersistent())
    return {0, mostResidentCtas, 1};
  if (isa_and_present<tile::SizeOp, tile::TileCoordinateOp,
                      tile::ScheduleRangeOp>(op))
    return {0, target::largestExtent, 1};
  if (isa_and_present<hopper::SpecialRegisterOp>(op))
    return {0, bits32.high, 1};
  if (isa_and_present<tile::ClusterRankOp>(op)) {
    // None where the kernel is on its way to the next level.
    auto kernel = op->getParentOfType<tile::KernelOp>();
    return {0, (kernel ? Cluster(kernel).size() : target::portableCluster) - 1,
            1};
  }
  if (values.empty())
    return bits32;
  SmallVector<IndexFact> from =
      llvm::map_to_vector(values, [&](Value v) { return of(v); });
  const IndexFact &first = from.front(), &last = from.back();
  int64_t common = std::gcd(first.divisor, last.divisor);
  if (!alternatives(value).empty())
    return {std::min(first.low, last.low), std::max(first.high, last.high),
            common};
  if (llvm::any_of(from, isEmpty))
    return {};
  if (loopCountedBy(value))
    // It counts up.
    return {first.low, std::max(first.low, last.high - (last.high != least)),
            std::gcd(first.divisor, from[1].divisor)};
  if (auto coordinates = dyn_cast<tile::ScheduleCoordinatesOp>(op))
    return coordinateOf(coordinates, cast<OpResult>(value).getResultNumber(),
                        first);
  if (auto bound = dyn_cast<tile::AtMostOp>(op))
    return {first.low, std::min<int64_t>(first.high, bound.getMost()),
            first.divisor};
  if (isa<tile::MultipleOfOp, tile::InTurnsOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op)) {
    IndexFact fact = first;
    if (auto promise = dyn_cast<tile::MultipleOfOp>(op);
        promise && fact.divisor && believesPromises)
      fact.divisor = std::max(fact.divisor, powerOfTwoIn(promise.getDivisor()));
    return fact;
  }
  int64_t divisor =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
                arith::MaxSIOp, arith::MaxUIOp, arith::RemSIOp, arith::RemUIOp>(
              [&](auto) { return common; })
          .Case<arith::MulIOp>(
              [&](auto) { return powerOfTwoIn(first.divisor * last.divisor); })
          .Case<arith::DivSIOp, arith::DivUIOp>([&](auto quotient) {
            llvm::APInt by;
            bool whole = matchPattern(quotient.getRhs(), m_ConstantInt(&by)) &&
                         by.isPowerOf2() &&
                         first.divisor % by.getSExtValue() == 0;
            return whole ? first.divisor / by.getSExtValue() : 1;
          })
          .Default([](Operation *) { return 1; });
  auto [low, high] = rangeOf(op, from);
  return {low, high, divisor};
}

} // namespace ashlar
