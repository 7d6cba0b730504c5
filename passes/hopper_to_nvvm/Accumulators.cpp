// Sums that a loop does nothing with but accumulate by wgmma stay in registers
// that the PTX declares by name. LLVM sees neither them nor the values they
// pass through, which would take it up to half of its time.
//
// Only slices may be taken of them after the loop, each of which reads its
// registers where it stands: nothing writes them before the loop, or the branch
// around it, runs again. What takes them as a whole would have them twice.

#include "passes/ZeroFragment.h"
#include "passes/hopper_to_nvvm/ThreadLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The values that `value` is passed on as, itself the first, as long as each
/// has no other use.
SmallVector<Value> chain(Value value, function_ref<Value(OpOperand &)> next) {
  SmallVector<Value> values{value};
  while (values.back().hasOneUse()) {
    Value passedOn = next(*values.back().use_begin());
    if (!passedOn)
      break;
    values.push_back(passedOn);
  }
  return values;
}

Value passedOn(OpOperand &use) {
  if (auto wgmma = dyn_cast<hopper::WgmmaOp>(use.getOwner()))
    return wgmma.getResult();
  if (auto wait = dyn_cast<hopper::WgmmaWaitOp>(use.getOwner()))
    return wait.getResult(use.getOperandNumber());
  return {};
}

/// What carries the accumulator in the loop, if it does nothing else.
SmallVector<Value> inLoop(scf::ForOp loop, unsigned number) {
  SmallVector<Value> values =
      chain(loop.getRegionIterArg(number), [&](OpOperand &use) {
        return use.getOwner()->getBlock() == loop.getBody() ? passedOn(use)
                                                            : Value();
      });
  Value last = values.back();
  bool isCarried = last.hasOneUse() && last == loop.getYieldedValues()[number];
  return isCarried && values.size() > 1 ? values : SmallVector<Value>();
}

/// What carries it after the loop: results of waits, and of the branch that the
/// loop stands in.
SmallVector<Value> afterLoop(Value result) {
  return chain(result, [](OpOperand &use) -> Value {
    if (isa<hopper::WgmmaWaitOp>(use.getOwner()))
      return passedOn(use);
    auto branch = dyn_cast<scf::IfOp>(use.getOwner()->getParentOp());
    bool isYielded = isa<scf::YieldOp>(use.getOwner()) && branch &&
                     use.getOwner()->getBlock() == branch.thenBlock();
    return isYielded ? branch.getResult(use.getOperandNumber()) : Value();
  });
}

} // namespace

void ThreadLowering::declareAccumulators() {
  int64_t count = 0;
  kernel.walk([&](scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumResults(); ++i) {
      auto tensor = dyn_cast<RankedTensorType>(loop.getResultTypes()[i]);
      if (!tensor || FragmentType(tensor).packed != 1)
        continue;
      SmallVector<Value> values = inLoop(loop, i);
      if (values.empty())
        continue;
      llvm::append_range(values, afterLoop(loop.getResult(i)));
      if (!llvm::all_of(values.back().getUsers(),
                        llvm::IsaPred<hopper::SliceOp>))
        continue;
      std::string name = "%acc" + std::to_string(count++) + "_";
      for (Value value : values)
        accumulators[value] = name;
      b.ptx(".reg .b32 " + name + "<" +
            std::to_string(FragmentType(tensor).registers()) + ">;");
    }
  });
}

Registers ThreadLowering::readAccumulator(Value value,
                                          ArrayRef<int64_t> numbers) {
  const std::string &name = accumulators.at(value);
  Type type =
      FragmentType(cast<RankedTensorType>(value.getType())).registerType;
  std::string text;
  for (auto [i, number] : llvm::enumerate(numbers))
    text += (i ? "\n\tmov.b32 $" : "mov.b32 $") + std::to_string(i) + ", " +
            name + std::to_string(number) + ";";
  return b.ptx(text, SmallVector<Type>(numbers.size(), type), {});
}

void ThreadLowering::writeAccumulator(Value target, Value value) {
  if (value.getDefiningOp<hopper::UndefinedOp>())
    return;
  SmallVector<Value> operands;
  if (!isZero(value))
    llvm::append_range(operands, registersOf(value));
  int64_t count =
      FragmentType(cast<RankedTensorType>(target.getType())).registers();
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i ? "\n\tmov.b32 " : "mov.b32 ") + accumulators.at(target) +
            std::to_string(i) + ", " +
            (operands.empty() ? "0" : "$" + std::to_string(i)) + ";";
  b.ptx(text, {}, operands);
}

bool ThreadLowering::isRead(hopper::UndefinedOp value) const {
  return llvm::any_of(value->getUses(), [&](OpOperand &use) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner());
    return !loop || !isAccumulator(loop.getTiedLoopRegionIterArg(&use));
  });
}

} // namespace ashlar
