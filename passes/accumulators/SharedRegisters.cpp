#include "passes/accumulators/SharedRegisters.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/ZeroFragment.h"

namespace ashlar {

using namespace mlir;

namespace {

/// Whether one operation follows another within an iteration of all that is
/// around both: their ancestors in one block do. Those in two arms of a branch
/// have none.
bool follows(Operation *later, Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (Operation *ancestor =
            at->getBlock() ? at->getBlock()->findAncestorOpInBlock(*later)
                           : nullptr)
      return at->isBeforeInBlock(ancestor);
  return false;
}

/// Where a value begins to be alive: its operation, or the loop that carries
/// it.
Operation *definition(Value value) {
  if (Operation *op = value.getDefiningOp())
    return op;
  return cast<BlockArgument>(value).getOwner()->getParentOp();
}

/// Whether a value is still needed where another one begins to be alive.
bool isAliveAt(Value value, Value other) {
  Operation *from = definition(value), *at = definition(other);
  const bool isCarried = isa<BlockArgument>(value);
  const bool otherIsCarried = isa<BlockArgument>(other);
  // A loop's arguments are there together, and so are its results.
  if (from == at)
    return isCarried == otherIsCarried;
  if (isCarried ? !from->isProperAncestor(at) : !follows(at, from))
    return false;
  if (otherIsCarried && llvm::any_of(value.getUsers(), [&](Operation *use) {
        return at->isProperAncestor(use);
      }))
    return true;
  return isUsedAfter(value, at);
}

/// What control flow passes on as a value, but for what comes into a loop
/// first.
SmallVector<Value, 2> sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {argument.getOwner()->getTerminator()->getOperand(
        argument.getArgNumber() - 1)};
  unsigned number = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getRegionIterArg(number)};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  return {};
}

/// Whether a value is the product of an mma alone, and is used in its block
/// only.
bool isUsedUp(Value value) {
  auto mma = value.getDefiningOp<hopper::MmaOp>();
  return mma && isZero(mma.getAccumulator()) &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return user->getBlock() == mma->getBlock() &&
                  !user->hasTrait<OpTrait::IsTerminator>();
         });
}

} // namespace

bool isUsedAfter(Value value, Operation *op) {
  Operation *from = definition(value);
  for (Operation *use : value.getUsers()) {
    if (follows(use, op))
      return true;
    // In the next iteration of a loop around both, for which it is a constant.
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (!loop->isAncestor(from) && loop->isProperAncestor(use))
        return true;
  }
  return false;
}

Value SharedRegisters::setOf(Value value) const { return leader.lookup(value); }

SmallVector<Value> SharedRegisters::sets() const {
  return llvm::map_to_vector(members, [](auto &set) { return set.first; });
}

void SharedRegisters::tryJoin(Value a, Value b) {
  Value one = setOf(a), other = setOf(b);
  if (!one || !other || one == other || one.getType() != other.getType())
    return;
  for (Value x : members[one])
    for (Value y : members[other])
      if (isAliveAt(x, y) || isAliveAt(y, x))
        return;
  SmallVector<Value> joined = std::move(members[other]);
  members.erase(other);
  for (Value value : joined)
    leader[value] = one;
  llvm::append_range(members[one], joined);
}

void SharedRegisters::keepValues(ArrayRef<Value> values) {
  DenseSet<Value> added;
  SmallVector<Value> left;
  auto add = [&](Value value) {
    if (setOf(value) && added.insert(value).second)
      left.push_back(value);
  };
  for (Value value : values)
    if (auto mma = value.getDefiningOp<hopper::MmaOp>())
      add(mma.getAccumulator());
  while (!left.empty()) {
    Value value = left.pop_back_val();
    // What only leaves a loop for an mma is written once, behind it.
    if (!value.getDefiningOp<scf::ForOp>())
      for (Value source : sourcesOf(value))
        add(source);
    if (auto argument = dyn_cast<BlockArgument>(value))
      add(cast<scf::ForOp>(argument.getOwner()->getParentOp())
              .getTiedLoopInit(argument)
              ->get());
  }

  for (bool changed = true; changed;) {
    changed = false;
    for (Value value : values)
      if (setOf(value) && !added.contains(value) &&
          llvm::any_of(sourcesOf(value), [&](Value source) {
            return !setOf(source) && !isZero(source);
          })) {
        leader.erase(value);
        members.erase(value);
        changed = true;
      }
  }
}

SharedRegisters::SharedRegisters(hopper::RoleOp role) {
  // What is passed on of the results of mma, and from where to where.
  SmallVector<Value> values;
  auto insert = [&](Value value) {
    if (leader.try_emplace(value, value).second) {
      members[value] = {value};
      values.push_back(value);
    }
  };
  role.walk([&](hopper::MmaOp mma) { insert(mma.getResult()); });
  SmallVector<std::pair<Value, Value>> passed;
  auto pass = [&](Value from, Value to) {
    insert(to);
    passed.push_back({from, to});
  };
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(user)) {
        pass(values[i], loop.getTiedLoopRegionIterArg(&use));
        pass(values[i], loop.getTiedLoopResult(&use));
      } else if (isa<scf::YieldOp>(user)) {
        Operation *around = user->getParentOp();
        pass(values[i], around->getResult(number));
        if (auto loop = dyn_cast<scf::ForOp>(around)) {
          pass(values[i], loop.getRegionIterArg(number));
          pass(loop.getRegionIterArg(number), loop.getResult(number));
        }
      }
    }
  keepValues(values);
  // What a loop carries is its result as well. Then those of inner loops first:
  // their copies would cost the most.
  role.walk([&](scf::ForOp loop) {
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      tryJoin(argument, result);
  });
  role.walk([&](hopper::MmaOp mma) {
    tryJoin(mma.getAccumulator(), mma.getResult());
  });
  llvm::stable_sort(passed, [](auto &x, auto &y) {
    auto depth = [](Value value) {
      int depth = 0;
      for (Operation *op = definition(value); op; op = op->getParentOp())
        ++depth;
      return depth;
    };
    return depth(x.first) > depth(y.first);
  });
  for (auto [from, to] : passed)
    tryJoin(from, to);
  // Products that are used up one after the other.
  SmallVector<Value> usedUp;
  for (Value value : values)
    if (isUsedUp(value) && setOf(value) && members[setOf(value)].size() == 1)
      usedUp.push_back(value);
  for (Value value : usedUp)
    for (Value other : usedUp)
      if (value.getParentBlock() == other.getParentBlock())
        tryJoin(other, value);
}

} // namespace ashlar
