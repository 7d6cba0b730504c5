// Roles, loops and branches: bodies are traced into detached blocks; closing
// them makes the operation with the values that it carries or yields.

#include "Trace.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ashlar::detail {

using namespace mlir;

Frame &Trace::push(FrameKind kind, SourceLocation where, Block *block) {
  Frame frame{};
  frame.kind = kind;
  frame.number = records.size();
  frame.opened = where;
  if (!block)
    frame.detached = std::make_unique<Block>();
  frame.block = block ? block : frame.detached.get();
  records.push_back({kind, where});
  frames.push_back(std::move(frame));
  builder.setInsertionPointToEnd(top().block);
  return top();
}

Frame Trace::pop() {
  Frame frame = std::move(frames.back());
  frames.pop_back();
  builder.setInsertionPointToEnd(top().block);
  return frame;
}

int64_t Trace::groupsOfRole() const {
  return isInRole() ? int64_t(cast<tile::RoleOp>(frames[1].block->getParentOp())
                                  .getInstances())
                    : 1;
}

void Trace::openRole(Block *body, SourceLocation where) {
  roleConstants = ConstantPool();
  push(FrameKind::role, where, body);
}

void Trace::closeRole() {
  checkLoops();
  pop();
}

Value Trace::openLoop(LoopBounds bounds, SourceLocation where) {
  Frame &frame = push(FrameKind::loop, where, nullptr);
  frame.bounds = bounds;
  return frame.block->addArgument(builder.getIndexType(), location(where));
}

void Trace::abandonLoop(SourceLocation where) {
  if (abandoned)
    return;
  try {
    fail(where, "a DSL loop was left by break or return: its body is traced "
                "once and must end by itself; use when(condition, [&] { ... }) "
                "around the rest of the body");
  } catch (const Error &error) {
    abandoned = error;
  }
}

void Trace::closeLoop() {
  checkLoops();
  Frame frame = pop();
  Location where = location(frame.opened);
  unsigned firstArgument = 1; // after the counter

  llvm::SmallVector<uint32_t> carried = frame.carried;
  for (auto &[cell, value] : frame.values)
    if (!llvm::is_contained(carried, cell)) {
      frame.block->addArgument(value.getType(), location(cells[cell].declared));
      carried.push_back(cell);
    }

  llvm::SmallVector<uint32_t> assigned;
  llvm::SmallVector<Value> initial, yielded;
  llvm::BitVector unchanged(frame.block->getNumArguments());
  for (auto [i, cell] : llvm::enumerate(carried)) {
    Value value = frame.values[cell];
    if (value == frame.block->getArgument(firstArgument + i)) {
      unchanged.set(firstArgument + i);
      continue;
    }
    assigned.push_back(cell);
    yielded.push_back(value);
    initial.push_back(lookup(cell, frames.size() - 1));
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(frame.block);
    scf::YieldOp::create(builder, where, yielded);
  }
  for (auto [i, cell] : llvm::enumerate(carried))
    if (unchanged.test(firstArgument + i))
      frame.block->getArgument(firstArgument + i)
          .replaceAllUsesWith(lookup(cell, frames.size() - 1));
  frame.block->eraseArguments(unchanged);

  auto loop = scf::ForOp::create(builder, where, frame.bounds.low,
                                 frame.bounds.high, frame.bounds.step, initial);
  loop.getRegion().getBlocks().clear();
  loop.getRegion().push_back(frame.detached.release());
  for (auto [cell, result] : llvm::zip(assigned, loop.getResults()))
    record(cell, result);
}

Frame Trace::traceBranch(const Body<> &body, SourceLocation where) {
  push(FrameKind::branch, where, nullptr);
  body();
  checkLoops();
  return pop();
}

void Trace::branch(Value condition, const Body<> &then, const Body<> *otherwise,
                   SourceLocation where) {
  Frame taken = traceBranch(then, where);
  Frame other;
  if (otherwise)
    other = traceBranch(*otherwise, where);

  llvm::SmallVector<uint32_t> assigned;
  for (auto &[cell, value] : taken.values)
    assigned.push_back(cell);
  for (auto &[cell, value] : other.values)
    if (!taken.values.contains(cell))
      assigned.push_back(cell);

  if (!otherwise && !assigned.empty())
    other.detached = std::make_unique<Block>();
  llvm::SmallVector<Type> types;
  for (uint32_t cell : assigned)
    types.push_back(lookup(cell, frames.size() - 1).getType());

  auto branch = scf::IfOp::create(builder, location(where), types, condition,
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  auto finish = [&](Frame &frame, Region &region) {
    llvm::SmallVector<Value> yielded;
    for (uint32_t cell : assigned) {
      auto value = frame.values.find(cell);
      yielded.push_back(value != frame.values.end()
                            ? value->second
                            : lookup(cell, frames.size() - 1));
    }
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(frame.detached.get());
    scf::YieldOp::create(builder, location(where), yielded);
    region.push_back(frame.detached.release());
  };
  finish(taken, branch.getThenRegion());
  if (other.detached)
    finish(other, branch.getElseRegion());
  for (auto [cell, result] : llvm::zip(assigned, branch.getResults()))
    record(cell, result);
}

} // namespace ashlar::detail
