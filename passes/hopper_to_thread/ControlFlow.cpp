// Loops and branches carry a fragment as the registers that hold it.

#include "mlir/IR/Matchers.h"
#include "passes/hopper_to_thread/ThreadLowering.h"

namespace ashlar {

using namespace mlir;

LogicalResult ThreadLowering::lowerGuarded(Region &region, Value condition) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, b.loc, condition);
  b.setInsertionPointToStart(branch.thenBlock());
  return lowerBlock(region.front());
}

LogicalResult ThreadLowering::lowerOncePerWarp(Region &region) {
  b.ptx("bar.warp.sync 0xffffffff;");
  return lowerGuarded(region, elect());
}

LogicalResult ThreadLowering::lower(hopper::ReleaseOp op) {
  if (!op.getCondition())
    return lowerOncePerWarp(op.getBody());
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, b.loc, lookup(op.getCondition()));
  b.setInsertionPointToStart(branch.thenBlock());
  return lowerOncePerWarp(op.getBody());
}

LogicalResult ThreadLowering::lowerFor(scf::ForOp loop) {
  SmallVector<Value> inits = flatten(loop.getInitArgs());
  auto lowered = scf::ForOp::create(
      b, loop.getLoc(), lookup(loop.getLowerBound()),
      lookup(loop.getUpperBound()), lookup(loop.getStep()), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = lowered.getBody();
    if (body->mightHaveTerminator())
      body->getTerminator()->erase();
    b.setInsertionPointToEnd(body);
    values.set(loop.getInductionVar(), {lowered.getInductionVar()});
    bind(loop.getRegionIterArgs(), lowered.getRegionIterArgs());
    if (failed(lowerBlock(*loop.getBody())))
      return failure();
    scf::YieldOp::create(b, loop.getLoc(), flatten(loop.getYieldedValues()));
  }
  bind(loop.getResults(), lowered.getResults());
  return success();
}

/// Constants of a branch would otherwise be written to the registers of a
/// fragment before it, on the way to the other branch too.
void ThreadLowering::keepHere(MutableArrayRef<Value> registers) {
  llvm::SmallDenseMap<Value, Value> kept;
  for (Value &value : registers) {
    if (!value.getType().isF32() || !matchPattern(value, m_Constant()))
      continue;
    Value &copy = kept[value];
    if (!copy)
      copy = b.ptx("mov.b32 $0, $1;", b.getF32Type(), value)[0];
    value = copy;
  }
}

/// What an arm writes to accumulators stays computed before the branch, though
/// nobody else needs it: in the arm it would come before the arm's wait, and
/// ptxas would compute it in the accumulator's registers (C7515).
void ThreadLowering::keepBefore(scf::IfOp branch) {
  for (Region &arm : branch->getRegions())
    for (auto write : arm.getOps<hopper::AccumulatorWriteOp>()) {
      Value value = write.getValue();
      if (branch->isAncestor(value.getParentRegion()->getParentOp()) ||
          isa_and_present<arith::ConstantOp, hopper::SplatOp,
                          hopper::UndefinedOp>(value.getDefiningOp()))
        continue;
      Registers registers(registersOf(value));
      for (Value &word : registers) {
        Type type = word.getType();
        const bool isFloat = type.isF32();
        if (!isFloat)
          word = LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), word);
        word = b.ptx("mov.b32 $0, $1;", word.getType(), word)[0];
        if (!isFloat)
          word = LLVM::BitcastOp::create(b, b.loc, type, word);
      }
      values.set(value, registers);
    }
}

LogicalResult ThreadLowering::lowerIf(scf::IfOp branch) {
  keepBefore(branch);
  SmallVector<Type> types;
  for (Value result : branch.getResults())
    llvm::append_range(types, convert(result.getType()));
  auto lowered = scf::IfOp::create(b, branch.getLoc(), types,
                                   lookup(branch.getCondition()),
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  for (bool then : {true, false}) {
    OpBuilder::InsertionGuard guard(b);
    Block *to = then ? lowered.thenBlock() : lowered.elseBlock();
    Block *from = then ? branch.thenBlock() : branch.elseBlock();
    if (to->mightHaveTerminator())
      to->getTerminator()->erase();
    b.setInsertionPointToEnd(to);
    SmallVector<Value> yields;
    if (from) {
      if (failed(lowerBlock(*from)))
        return failure();
      yields = flatten(from->getTerminator()->getOperands());
      keepHere(yields);
    }
    scf::YieldOp::create(b, branch.getLoc(), yields);
  }
  bind(branch.getResults(), lowered.getResults());
  return success();
}

SmallVector<Value> ThreadLowering::flatten(ValueRange range) {
  SmallVector<Value> flat;
  for (Value value : range)
    llvm::append_range(flat, registersOf(value));
  return flat;
}

SmallVector<Type> ThreadLowering::convert(Type type) {
  if (isa<IndexType>(type))
    return {b.getI32Type()};
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    FragmentType fragment(tensor);
    return SmallVector<Type>(fragment.registers(), fragment.registerType);
  }
  return {type};
}

void ThreadLowering::bind(ValueRange range, ValueRange flat) {
  size_t next = 0;
  for (Value value : range) {
    size_t count = convert(value.getType()).size();
    values.set(value, Registers(flat.slice(next, count)));
    next += count;
  }
}

} // namespace ashlar
