#include "ashlar/control.h"
#include "Elementwise.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <exception>

namespace ashlar {

using namespace detail;

OpenLoop::OpenLoop(const Index &low, const Index &high, const Index &step,
                   bool isInTurns, SourceLocation where)
    : exceptions(std::uncaught_exceptions()), where(where) {
  Trace &trace = Trace::current(where);
  kernel = trace.number();
  LoopBounds bounds{trace.read(low, where), trace.read(high, where),
                    trace.read(step, where)};
  auto known = mlir::getConstantIntValue(bounds.step);
  if (known && *known < 1)
    fail(where, "the range has the step " + std::to_string(*known) +
                    "; a step is at least 1");
  if (!known) {
    // The loop of the IR counts up, and knows no other. What would step is a
    // multiple of what divides any step, so that the loop's index keeps it.
    mlir::Value zero = trace.constantIndex(0, where);
    mlir::Value any = trace.constantIndex(int64_t(1) << 20, where);
    mlir::Value counts = emit(trace, Comparison::gt, bounds.step, zero, where);
    bounds.high = emitSelect(trace, counts, bounds.high, bounds.low, where);
    bounds.step = emitSelect(trace, counts, bounds.step, any, where);
  }
  if (isInTurns && trace.groupsOfRole() > 1)
    bounds.step = trace.create<tile::InTurnsOp>(where, bounds.step);
  trace.openLoop(bounds, where);
}

OpenLoop::OpenLoop(const Handle &schedule, const Index *after,
                   SourceLocation where)
    : exceptions(std::uncaught_exceptions()), where(where) {
  Trace &trace = Trace::current(where);
  kernel = trace.number();
  mlir::Value tiles = trace.read(schedule, where);
  auto range = trace.create<tile::ScheduleRangeOp>(
      where, tiles, after ? trace.read(*after, where) : mlir::Value());
  mlir::Value number = trace.openLoop(
      {range.getFirst(), range.getEnd(), range.getStep()}, where);
  int64_t rank = llvm::cast<tile::ScheduleType>(tiles.getType()).getRank();
  llvm::SmallVector<mlir::Type> types(rank,
                                      mlir::IndexType::get(trace.context()));
  trace.create<tile::ScheduleCoordinatesOp>(where, types, tiles, number);
}

OpenLoop::~OpenLoop() {
  Trace *trace = Trace::active();
  bool unwinding = std::uncaught_exceptions() > exceptions;
  if (!closed && !unwinding && trace && trace->number() == kernel)
    trace->abandonLoop(where);
}

Index OpenLoop::counter() const {
  Trace &trace = Trace::current(where);
  return trace.declare<Index>(HandleKind::index, trace.block().getArgument(0),
                              where);
}

Index OpenLoop::coordinate(int64_t dimension) const {
  Trace &trace = Trace::current(where);
  auto coordinates =
      llvm::cast<tile::ScheduleCoordinatesOp>(trace.block().front());
  return trace.declare<Index>(HandleKind::index,
                              coordinates.getCoordinates()[dimension], where);
}

void OpenLoop::close() {
  closed = true;
  Trace::current(where).closeLoop();
}

Range range(const Index &count, SourceLocation where) {
  return range(Index(0, where), count, where);
}

Range range(const Index &low, const Index &high, SourceLocation where) {
  return range(low, high, Index(1, where), where);
}

Range range(const Index &low, const Index &high, const Index &step,
            SourceLocation where) {
  return Range(Index(low, where), Index(high, where), Index(step, where),
               where);
}

Range in_turns(Range range) {
  range.isInTurns = true;
  return range;
}

void last_if(ConditionOperand condition, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireLoopFrame("last_if", where);
  trace.create<tile::LastIfOp>(where, readCondition(trace, condition));
}

void when(const Condition &condition, Body<> then, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.branch(trace.read(condition, where), then, nullptr, where);
}

void when(const Condition &condition, Body<> then, Body<> otherwise,
          SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.branch(trace.read(condition, where), then, &otherwise, where);
}

} // namespace ashlar
