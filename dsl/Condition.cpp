#include "ashlar/condition.h"
#include "Elementwise.h"

namespace ashlar {

using namespace detail;

mlir::Value detail::readCondition(Trace &trace,
                                  const ConditionOperand &operand) {
  if (operand.condition)
    return trace.read(*operand.condition, operand.where);
  return trace.constant(mlir::BoolAttr::get(trace.context(), operand.constant),
                        operand.where);
}

namespace {

Condition combine(Binary operation, const Condition &a,
                  const ConditionOperand &b) {
  Trace &trace = Trace::current(b.where);
  mlir::Value left = trace.read(a, b.where), right = readCondition(trace, b);
  return trace.declare<Condition>(HandleKind::condition,
                                  emit(trace, operation, left, right, b.where),
                                  b.where);
}

} // namespace

Condition operator&&(const Condition &a, ConditionOperand b) {
  return combine(Binary::bitAnd, a, b);
}

Condition operator||(const Condition &a, ConditionOperand b) {
  return combine(Binary::bitOr, a, b);
}

Condition operator!(const Condition &a) {
  SourceLocation where = a.declared_at();
  Trace &trace = Trace::current(where);
  return trace.declare<Condition>(HandleKind::condition,
                                  emitNot(trace, trace.read(a, where), where),
                                  where);
}

} // namespace ashlar
