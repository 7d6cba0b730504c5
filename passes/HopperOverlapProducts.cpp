// hopper-overlap-products: where a loop only adds up what it makes of its
// products, the tensor cores multiply for the next iteration meanwhile.
//
// What follows from an iteration's products without an effect, and reaches the
// next one only to be added to there, is put off until the next iteration has
// issued its own. Two iterations are written out, as the products of two are
// there at once, in registers of their own. So they are of a loop that carries
// a product into the next iteration by itself, and uses it when it has issued
// that one's: it would copy its registers, and wait for that. The order of the
// mma stays.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Arithmetic.h"
#include "passes/Passes.h"
#include "passes/ZeroFragment.h"
#include "passes/accumulators/SharedRegisters.h"
#include "llvm/ADT/SetVector.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPEROVERLAPPRODUCTS
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// Registers in each thread that hold a fragment.
int64_t registersEach(Type type) {
  auto fragment = dyn_cast<RankedTensorType>(type);
  if (!fragment)
    return 0;
  int64_t values = tile::fragmentOf(fragment).getLayout().value.size();
  Type element = fragment.getElementType();
  const unsigned bits =
      tile::isPair(element) ? 8 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(uint64_t(values) * std::max(8u, bits), 32);
}

/// Whether it loads columns of single bytes. ptxas 13.0 issues the loads of all
/// of a loop's products before it packs the first bytes: of two products of
/// 64x64 it spilled, though what else is counted here leaves 7 registers.
bool loadsByteColumns(Operation *op) {
  auto load = dyn_cast<hopper::SharedLoadOp>(op);
  return load && load.getTransposed() &&
         tile::elementBytes(
             cast<RankedTensorType>(load.getType()).getElementType()) == 1;
}

/// Of a loop over a distance that is not negative.
Value iterations(Arithmetic a, Value distance, Value step) {
  return a.div(a.add(distance, a.sub(step, a.constant(1))), step);
}

/// Whether a product is only added to, or passed on.
bool addsTo(OpOperand &use) {
  if (auto mma = dyn_cast<hopper::MmaOp>(use.getOwner()))
    return &use == &mma.getAccumulatorMutable();
  return isa<scf::YieldOp>(use.getOwner());
}

class Overlap {
public:
  explicit Overlap(scf::ForOp loop) : loop(loop) {}

  /// Whether the loop has products that can be used an iteration late.
  bool find() {
    for (auto mma : loop.getBody()->getOps<hopper::MmaOp>())
      for (OpOperand &use : mma.getResult().getUses())
        if (Operation *user = use.getOwner(); !addsTo(use)) {
          if (!isZero(mma.getAccumulator()))
            return false;
          late.insert(user);
        }
    if (late.empty())
      return false;
    for (size_t i = 0; i < late.size(); ++i)
      if (!follows(late[i]))
        return false;
    for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
      if (late.contains(value.getDefiningOp()))
        sums.push_back(i);
    for (unsigned i : sums)
      for (Operation *user : loop.getRegionIterArg(i).getUsers())
        if (!late.contains(user))
          return false;
    findOperands();
    return hasRegisters();
  }

  void write();

private:
  /// Takes what uses a late operation's results for late, if it can be.
  bool follows(Operation *op) {
    if (op->getBlock() != loop.getBody() || op->getNumRegions() ||
        !isPure(op) || isa<hopper::MmaOp>(op))
      return false;
    for (Operation *user : op->getUsers())
      if (!isa<scf::YieldOp>(user))
        late.insert(user);
      else if (user->getParentOp() != loop)
        return false;
    return true;
  }

  bool isSum(Value value) {
    return llvm::any_of(
        sums, [&](unsigned i) { return value == loop.getRegionIterArg(i); });
  }

  /// Whether late operations take a value of their iteration.
  bool isTaken(Value value) {
    return !late.contains(value.getDefiningOp()) && !isSum(value) &&
           !loop.isDefinedOutsideOfLoop(value);
  }

  /// Whether a value for late operations is better made late, of what takes
  /// fewer registers: a row of factors, say, that is broadcast.
  bool isBetterLate(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() ||
        op->getNumResults() != 1 || !isPure(op) || isa<hopper::MmaOp>(op) ||
        !llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return late.contains(user); }))
      return false;
    int64_t taken = 0;
    for (Value from : op->getOperands())
      if (isTaken(from))
        taken += registersEach(from.getType());
    return taken < registersEach(value.getType());
  }

  /// What late operations take of their iteration: products among it.
  void findOperands() {
    for (size_t i = 0; i < late.size(); ++i)
      for (Value value : late[i]->getOperands())
        if (isTaken(value) && isBetterLate(value))
          late.insert(value.getDefiningOp());
    for (Operation *op : late)
      for (Value value : op->getOperands())
        if (isTaken(value))
          operands.insert(value);
  }

  /// For what the loop carries, what two iterations have for late use, what
  /// loops inside multiply, and what is needed behind the loop.
  bool hasRegisters() {
    auto role = loop->getParentOfType<hopper::RoleOp>();
    int64_t needed = target::registersBesideFragments;
    for (Value value : loop.getRegionIterArgs())
      needed += registersEach(value.getType());
    for (Value value : operands)
      needed += 2 * registersEach(value.getType());
    loop.walk([&](hopper::MmaOp mma) {
      // Of a product that adds to what is computed, too, there are two.
      Operation *before = mma.getAccumulator().getDefiningOp();
      if (mma->getBlock() != loop.getBody() ||
          (!isZero(mma.getAccumulator()) && before &&
           loop->isAncestor(before) && !isa<hopper::MmaOp>(before)))
        needed += registersEach(mma.getResult().getType());
      // Both iterations have their A in registers until they are multiplied,
      // while the next one's is loaded.
      if (Operation *a = mma.getA().getDefiningOp(); a && loop->isAncestor(a))
        needed += registersEach(mma.getA().getType());
    });
    // What else the loop computes meanwhile: the largest, at least.
    int64_t largest = 0, ofByteColumns = 0;
    loop.walk([&](Operation *op) {
      if (isa<hopper::MmaOp, LoopLikeOpInterface>(op) || late.contains(op))
        return;
      for (Value value : op->getResults())
        if (!isZero(value) && !operands.contains(value))
          largest = std::max(largest, registersEach(value.getType()));
      if (loadsByteColumns(op))
        ofByteColumns += registersEach(op->getResult(0).getType());
    });
    needed += std::max(largest, ofByteColumns);
    auto add = [&](Value value) {
      if (!isZero(value) && isUsedAfter(value, loop))
        needed += registersEach(value.getType());
    };
    for (Operation *op = loop; op != role; op = op->getParentOp()) {
      for (Operation &before : *op->getBlock()) {
        if (&before == op)
          break;
        llvm::for_each(before.getResults(), add);
      }
      llvm::for_each(op->getBlock()->getArguments(), add);
    }
    int64_t registers = role.getRegisters();
    if (!registers) {
      auto kernel = role->getParentOfType<hopper::KernelOp>();
      registers =
          target::entryRegisters(kernel.getThreads(), kernel.getCtasPerSm());
    }
    if (needed > registers)
      late.front()->emitRemark("the next product is not in flight while this "
                               "is computed: that would take ")
          << needed << " registers in each thread, and the role has "
          << registers;
    return needed <= registers;
  }

  /// An iteration whose products are in flight.
  struct Issued {
    SmallVector<Value> operands; ///< for its late operations
    SmallVector<Value> carried;  ///< what it passes on; of sums, what it got
  };
  Issued issue(OpBuilder &builder, Value number, ValueRange carried);
  SmallVector<Value> add(OpBuilder &builder, ValueRange sums,
                         const Issued &iteration);

  SmallVector<Value> pack(ValueRange sums, const Issued &iteration) {
    SmallVector<Value> all(sums);
    llvm::append_range(all, iteration.operands);
    for (auto [i, value] : llvm::enumerate(iteration.carried))
      if (!llvm::is_contained(this->sums, i))
        all.push_back(value);
    return all;
  }
  std::pair<SmallVector<Value>, Issued> unpack(ValueRange all) {
    SmallVector<Value> sums(all.take_front(this->sums.size()));
    all = all.drop_front(sums.size());
    Issued iteration;
    iteration.operands.assign(all.begin(), all.begin() + operands.size());
    all = all.drop_front(operands.size());
    for (unsigned i = 0; i < loop.getNumResults(); ++i)
      if (llvm::is_contained(this->sums, i)) {
        iteration.carried.push_back(loop.getInits()[i]);
      } else {
        iteration.carried.push_back(all.front());
        all = all.drop_front();
      }
    return {sums, iteration};
  }
  SmallVector<Value> results(ValueRange sums, const Issued &iteration) {
    SmallVector<Value> all(iteration.carried);
    for (auto [i, sum] : llvm::zip(this->sums, sums))
      all[i] = sum;
    return all;
  }

  scf::ForOp loop;
  llvm::SetVector<Operation *> late;
  llvm::SetVector<Value> operands;
  SmallVector<unsigned> sums; ///< numbers among what the loop carries
};

Overlap::Issued Overlap::issue(OpBuilder &builder, Value number,
                               ValueRange carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), number);
  map.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!late.contains(&op))
      builder.clone(op, map);
  Issued iteration;
  for (Value value : operands)
    iteration.operands.push_back(map.lookup(value));
  for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
    iteration.carried.push_back(
        llvm::is_contained(sums, i) ? carried[i] : map.lookupOrDefault(value));
  return iteration;
}

SmallVector<Value> Overlap::add(OpBuilder &builder, ValueRange before,
                                const Issued &iteration) {
  IRMapping map;
  for (auto [i, sum] : llvm::zip(sums, before))
    map.map(loop.getRegionIterArg(i), sum);
  for (auto [value, known] : llvm::zip(operands, iteration.operands))
    map.map(value, known);
  for (Operation &op : *loop.getBody())
    if (late.contains(&op))
      builder.clone(op, map);
  return llvm::map_to_vector(
      sums, [&](unsigned i) { return map.lookup(loop.getYieldedValues()[i]); });
}

/// The first iteration, then two at a time, each into the registers that the
/// one before the last has left, then one more if there is one.
void Overlap::write() {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Value low = loop.getLowerBound(), high = loop.getUpperBound();
  Value step = loop.getStep();
  Value runs =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, low, high);
  auto whole = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs,
                                 /*withElseRegion=*/true);
  loop.replaceAllUsesWith(whole);
  builder.setInsertionPointToStart(whole.elseBlock());
  scf::YieldOp::create(builder, loc, loop.getInits());

  builder.setInsertionPointToStart(whole.thenBlock());
  Arithmetic a{builder, loc};
  Value count = iterations(a, a.sub(high, low), step);
  Value last = a.add(low, a.mul(a.sub(count, a.constant(1)), step));
  SmallVector<Value> first = llvm::map_to_vector(
      sums, [&](unsigned i) { return Value(loop.getInits()[i]); });
  Issued start = issue(builder, low, loop.getInits());
  auto pairs = scf::ForOp::create(builder, loc, a.add(low, step), last,
                                  a.mul(step, 2), pack(first, start));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(pairs.getBody());
    auto [sum, earlier] = unpack(pairs.getRegionIterArgs());
    Value number = pairs.getInductionVar();
    Issued odd = issue(builder, number, earlier.carried);
    SmallVector<Value> partial = add(builder, sum, earlier);
    Issued even = issue(builder, a.add(number, step), odd.carried);
    scf::YieldOp::create(builder, loc, pack(add(builder, partial, odd), even));
  }
  auto [sum, before] = unpack(pairs.getResults());
  Value isOneMore = a.equal(a.rem(count, 2), 0);
  auto rest = scf::IfOp::create(builder, loc, loop.getResultTypes(), isOneMore,
                                /*withElseRegion=*/true);
  scf::YieldOp::create(builder, loc, rest.getResults());
  builder.setInsertionPointToStart(rest.thenBlock());
  Issued one = issue(builder, last, before.carried);
  SmallVector<Value> partial = add(builder, sum, before);
  scf::YieldOp::create(builder, loc, results(add(builder, partial, one), one));
  builder.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(builder, loc,
                       results(add(builder, sum, before), before));
  loop.erase();
}

/// Whether a loop carries a product which it still uses when the next one is
/// there.
bool carriesTwoProducts(scf::ForOp loop) {
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto mma = yielded.getDefiningOp<hopper::MmaOp>();
    if (mma && mma->getBlock() == loop.getBody() &&
        llvm::any_of(argument.getUsers(), [&](Operation *user) {
          user = loop.getBody()->findAncestorOpInBlock(*user);
          return !isa<scf::YieldOp>(user) && mma->isBeforeInBlock(user);
        }))
      return true;
  }
  return false;
}

/// Two iterations at a time, then one more if there is one.
void writeInPairs(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Arithmetic a{builder, loc};
  Value low = loop.getLowerBound(), step = loop.getStep();
  Value zero = a.constant(0);
  Value distance = arith::MaxSIOp::create(
      builder, loc, a.sub(loop.getUpperBound(), low), zero);
  Value count = iterations(a, distance, step);
  Value odd = a.rem(count, 2);
  Value last = a.add(low, a.mul(a.sub(count, odd), step));
  auto iteration = [&](OpBuilder &at, Value number, ValueRange carried) {
    IRMapping map;
    map.map(loop.getInductionVar(), number);
    map.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      at.clone(op, map);
    return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
      return map.lookupOrDefault(value);
    });
  };
  auto pairs = scf::ForOp::create(
      builder, loc, low, last, a.mul(step, 2), loop.getInits(),
      [&](OpBuilder &at, Location, Value number, ValueRange carried) {
        SmallVector<Value> one = iteration(at, number, carried);
        Value next = Arithmetic{at, loc}.add(number, step);
        scf::YieldOp::create(at, loc, iteration(at, next, one));
      });
  auto rest = scf::IfOp::create(
      builder, loc, a.equal(odd, 1),
      [&](OpBuilder &at, Location) {
        scf::YieldOp::create(at, loc, iteration(at, last, pairs.getResults()));
      },
      [&](OpBuilder &at, Location) {
        scf::YieldOp::create(at, loc, pairs.getResults());
      });
  loop.replaceAllUsesWith(rest.getResults());
  loop.erase();
}

struct HopperOverlapProducts
    : impl::HopperOverlapProductsBase<HopperOverlapProducts> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      // A loop that 32 bits can't count is written once, as one that ends
      // before its bounds say so.
      if (!loop.getInductionVar().getType().isIndex() ||
          !loop.getBody()->getOps<hopper::LastIfOp>().empty())
        continue;
      else if (Overlap overlap(loop); overlap.find())
        overlap.write();
      else if (carriesTwoProducts(loop))
        writeInPairs(loop);
  }
};

} // namespace
} // namespace ashlar
