#include "passes/Coordinates.h"
#include "compiler/tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

namespace ashlar {

using namespace mlir;

namespace {

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

/// What is known of an index.
struct Fact {
  bool nonNegative = true;
  /// The largest power of two up to 2^20 that divides it; 0 for what is a
  /// multiple of everything.
  int64_t divisor = 0;

  bool operator==(const Fact &) const = default;
};

int64_t powerOfTwoIn(int64_t number) {
  return number ? std::gcd(number, int64_t(1) << 20) : 0;
}

/// Facts of an index and of all that it is computed from: the best is assumed
/// of each, and weakened until each follows from the others. So what a loop
/// carries keeps a fact that its first value has and the loop's body preserves.
class Facts {
public:
  explicit Facts(Value index) {
    SmallVector<Value> found{index};
    while (!found.empty()) {
      Value value = found.pop_back_val();
      if (facts.try_emplace(value).second)
        llvm::append_range(found, sources(value));
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[value, fact] : llvm::reverse(facts)) {
        Fact next = follow(value);
        changed |= next != fact;
        fact = next;
      }
    }
  }

  const Fact &of(Value value) const { return facts.find(value)->second; }

private:
  static SmallVector<Value> sources(Value value) {
    if (SmallVector<Value> ways = alternatives(value); !ways.empty())
      return ways;
    if (scf::ForOp loop = loopCountedBy(value))
      return {loop.getLowerBound(), loop.getStep()};
    Operation *op = value.getDefiningOp();
    if (op && (isa<arith::ArithDialect>(op->getDialect()) ||
               isa<tile::MultipleOfOp>(op)))
      return op->getOperands();
    return {};
  }

  Fact follow(Value value) const {
    Operation *op = value.getDefiningOp();
    llvm::APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return {!constant.isNegative(), powerOfTwoIn(constant.getSExtValue())};
    if (isa_and_present<tile::SizeOp, tile::TileCoordinateOp>(op))
      return {true, 1};
    SmallVector<Value> from = sources(value);
    if (from.empty())
      return {false, 1};
    bool all = llvm::all_of(from, [&](Value v) { return of(v).nonNegative; });
    int64_t common = 0;
    for (Value v : from)
      common = std::gcd(common, of(v).divisor);
    if (!alternatives(value).empty())
      return {all, common};
    // It counts up.
    if (loopCountedBy(value))
      return {of(from[0]).nonNegative, common};
    const Fact &first = of(from.front()), &last = of(from.back());
    return llvm::TypeSwitch<Operation *, Fact>(op)
        .Case<arith::AddIOp, arith::MinSIOp, arith::MinUIOp>(
            [&](auto) { return Fact{all, common}; })
        .Case<arith::SubIOp>([&](auto) { return Fact{false, common}; })
        .Case<arith::MaxSIOp>([&](auto) {
          return Fact{first.nonNegative || last.nonNegative, common};
        })
        .Case<arith::RemSIOp>(
            [&](auto) { return Fact{first.nonNegative, common}; })
        .Case<arith::MulIOp>([&](auto) {
          return Fact{all, powerOfTwoIn(first.divisor * last.divisor)};
        })
        .Case<arith::RemUIOp>(
            [&](auto) { return Fact{last.nonNegative, common}; })
        .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
            [&](auto) { return Fact{all, 1}; })
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto quotient) {
          llvm::APInt by;
          bool whole = matchPattern(quotient.getRhs(), m_ConstantInt(&by)) &&
                       by.isPowerOf2() &&
                       first.divisor % by.getSExtValue() == 0;
          return Fact{all, whole ? first.divisor / by.getSExtValue() : 1};
        })
        .Case<tile::MultipleOfOp>([&](auto promise) {
          int64_t promised = powerOfTwoIn(promise.getDivisor());
          return Fact{all, first.divisor ? std::max(first.divisor, promised)
                                         : int64_t(0)};
        })
        .Default([](Operation *) { return Fact{false, 1}; });
  }

  llvm::MapVector<Value, Fact> facts;
};

} // namespace

bool areNonNegative(ValueRange coordinates) {
  return llvm::all_of(coordinates, [](Value coordinate) {
    return Facts(coordinate).of(coordinate).nonNegative;
  });
}

int64_t rowAlignment(Value tensor, ValueRange coordinates) {
  int64_t alignment = tensor.getDefiningOp<tile::TensorOp>().getAlignment();
  int64_t bytes = tile::elementBytes(
      cast<tile::TensorType>(tensor.getType()).getElementType());
  Value column = coordinates.back();
  return std::gcd(alignment, Facts(column).of(column).divisor * bytes);
}

} // namespace ashlar
