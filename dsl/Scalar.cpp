#include "ashlar/scalar.h"
#include "Describe.h"
#include "Elementwise.h"

namespace ashlar {

using namespace detail;

Scalar scalar(std::string_view name, ElementType type, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "scalar '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  if (type != f32 && type != s32 && type != bf16 && type != f16)
    fail(where, what + " is " + std::string(ashlar::name(type)) +
                    "; a scalar parameter is f32, s32, bf16 or f16");
  auto op = trace.create<tile::ScalarOp>(
      where, tile::memoryType(trace.context(), type), llvm::StringRef(name));
  return trace.declare<Scalar>(HandleKind::scalar, op, where);
}

namespace {

/// Both operands with one type; a number takes the type of the other.
std::pair<mlir::Value, mlir::Value> read(Trace &trace, const ScalarOperand &a,
                                         const ScalarOperand &b) {
  mlir::Value left, right;
  if (!a.scalar && !b.scalar)
    fail(a.where, "both operands are numbers of C++, which have no element "
                  "type; one is a scalar, as convert(0.5, f32) is");
  if (a.scalar)
    left = trace.read(*a.scalar, a.where);
  if (b.scalar)
    right = trace.read(*b.scalar, b.where);
  if (!left)
    left = emitNumber(trace, a.number, right.getType(), a.where);
  if (!right)
    right = emitNumber(trace, b.number, left.getType(), b.where);
  if (left.getType() != right.getType())
    fail(a.where, "the operands are " + describe(left.getType()) + " and " +
                      describe(right.getType()) + "; convert one of them");
  return {left, right};
}

Scalar arithmetic(Binary operation, const ScalarOperand &a,
                  const ScalarOperand &b) {
  Trace &trace = Trace::current(a.where);
  auto [left, right] = read(trace, a, b);
  return trace.declare<Scalar>(HandleKind::scalar,
                               emit(trace, operation, left, right, a.where),
                               a.where);
}

Condition compare(Comparison comparison, const ScalarOperand &a,
                  const ScalarOperand &b) {
  Trace &trace = Trace::current(a.where);
  auto [left, right] = read(trace, a, b);
  return trace.declare<Condition>(HandleKind::condition,
                                  emit(trace, comparison, left, right, a.where),
                                  a.where);
}

Scalar apply(Unary operation, const Scalar &a, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(a, where);
  return trace.declare<Scalar>(HandleKind::scalar,
                               emit(trace, operation, value, where), where);
}

} // namespace

Scalar operator+(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::add, a, b);
}
Scalar operator-(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::sub, a, b);
}
Scalar operator*(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::mul, a, b);
}
Scalar operator/(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::div, a, b);
}
Scalar operator-(ScalarOperand a) {
  return apply(Unary::negate, *a.scalar, a.where);
}

Condition operator<(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::lt, a, b);
}
Condition operator<=(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::le, a, b);
}
Condition operator>(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::gt, a, b);
}
Condition operator>=(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::ge, a, b);
}
Condition operator==(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::eq, a, b);
}
Condition operator!=(ScalarOperand a, ScalarOperand b) {
  return compare(Comparison::ne, a, b);
}

Scalar &operator+=(Scalar &a, ScalarOperand b) {
  return a = ScalarOperand(a, b.where) + b;
}
Scalar &operator-=(Scalar &a, ScalarOperand b) {
  return a = ScalarOperand(a, b.where) - b;
}
Scalar &operator*=(Scalar &a, ScalarOperand b) {
  return a = ScalarOperand(a, b.where) * b;
}
Scalar &operator/=(Scalar &a, ScalarOperand b) {
  return a = ScalarOperand(a, b.where) / b;
}

Scalar mul_rn(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::mulRounded, a, b);
}
Scalar fma(ScalarOperand a, ScalarOperand b, ScalarOperand c) {
  Trace &trace = Trace::current(a.where);
  const ScalarOperand *operands[] = {&a, &b, &c};
  mlir::Value values[3];
  mlir::Type type;
  for (int i : {0, 1, 2})
    if (operands[i]->scalar) {
      values[i] = trace.read(*operands[i]->scalar, a.where);
      type = type ? type : values[i].getType();
    }
  if (!type)
    fail(a.where, "fma of three numbers; one operand is a scalar");
  for (int i : {0, 1, 2}) {
    if (!values[i])
      values[i] = emitNumber(trace, operands[i]->number, type, a.where);
    if (values[i].getType() != type)
      fail(a.where, "the operands are " + describe(type) + " and " +
                        describe(values[i].getType()) +
                        "; convert one of them");
  }
  return trace.declare<Scalar>(
      HandleKind::scalar,
      emitFma(trace, values[0], values[1], values[2], a.where), a.where);
}

Scalar min(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::min, a, b);
}
Scalar max(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::max, a, b);
}

Scalar clamp(ScalarOperand a, ScalarOperand least, ScalarOperand largest) {
  return min(max(a, least), largest);
}

Scalar select(const Condition &condition, ScalarOperand a, ScalarOperand b) {
  Trace &trace = Trace::current(a.where);
  mlir::Value truth = trace.read(condition, a.where);
  auto [left, right] = read(trace, a, b);
  return trace.declare<Scalar>(HandleKind::scalar,
                               emitSelect(trace, truth, left, right, a.where),
                               a.where);
}

Scalar abs(const Scalar &a, SourceLocation where) {
  return apply(Unary::abs, a, where);
}
Scalar fast::divide(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::divFast, a, b);
}
Scalar pow(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::pow, a, b);
}
Scalar fast::pow(ScalarOperand a, ScalarOperand b) {
  return arithmetic(Binary::powFast, a, b);
}

namespace {

mlir::Type scalarType(Trace &trace, ElementType type, SourceLocation where) {
  mlir::Type element = registerType(trace.context(), type);
  if (!element || tile::isStorage(element))
    fail(where, "a scalar can't be " + std::string(name(type)));
  return element;
}

} // namespace

Scalar detail::scalarOf(double number, ElementType type, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Type element = scalarType(trace, type, where);
  return trace.declare<Scalar>(
      HandleKind::scalar, emitNumber(trace, number, element, where), where);
}

Scalar convert(const Index &a, ElementType type, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Type element = scalarType(trace, type, where);
  mlir::Value value = trace.read(a, where);
  return trace.declare<Scalar>(
      HandleKind::scalar, emitNumberOf(trace, value, element, where), where);
}

static Scalar inType(const Scalar &a, ElementType type,
                     decltype(emitConvert) emit, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Type element = scalarType(trace, type, where);
  mlir::Value value = trace.read(a, where);
  return trace.declare<Scalar>(HandleKind::scalar,
                               emit(trace, value, element, where), where);
}

Scalar convert(const Scalar &a, ElementType type, SourceLocation where) {
  return inType(a, type, emitConvert, where);
}

Scalar bitcast(const Scalar &a, ElementType type, SourceLocation where) {
  return inType(a, type, emitBitcast, where);
}

} // namespace ashlar
