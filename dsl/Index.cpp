#include "ashlar/index.h"
#include "Elementwise.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ashlar {

using namespace detail;

Index::Index(int64_t constant, SourceLocation where, std::nullptr_t)
    : Variable(HandleKind::index, where), constant(constant) {
  Trace::makeIndex(*this, where);
}

Index::Index(const Index &other, SourceLocation where)
    : Variable(static_cast<const Handle &>(other)), constant(other.constant) {
  Trace::copyIndex(*this, other, where);
}

Index &Index::operator=(const Index &other) {
  if (this != &other)
    Trace::assignIndex(*this, other);
  return *this;
}

Size size(std::string_view name, SourceLocation where) {
  Trace &trace = Trace::current(where);
  std::string what = "size '" + std::string(name) + "'";
  trace.requireKernelFrame(what, where);
  trace.takeName(what, name, where);
  auto op = trace.create<tile::SizeOp>(where, llvm::StringRef(name));
  return trace.declare<Size>(HandleKind::index, op, where);
}

namespace {

Index arithmetic(Binary operation, const IndexOperand &a,
                 const IndexOperand &b) {
  Trace &trace = Trace::current(a.where);
  mlir::Value left = trace.read(a), right = trace.read(b);
  bool divides = operation == Binary::div || operation == Binary::rem ||
                 operation == Binary::ceilDiv;
  if (divides && mlir::isZeroInteger(right))
    fail(b.where, "this divides by 0; give a divisor that is not");
  return trace.declare<Index>(
      HandleKind::index, emit(trace, operation, left, right, a.where), a.where);
}

Condition compare(Comparison comparison, const IndexOperand &a,
                  const IndexOperand &b) {
  Trace &trace = Trace::current(a.where);
  mlir::Value left = trace.read(a), right = trace.read(b);
  return trace.declare<Condition>(HandleKind::condition,
                                  emit(trace, comparison, left, right, a.where),
                                  a.where);
}

} // namespace

Index operator+(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::add, a, b);
}
Index operator-(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::sub, a, b);
}
Index operator*(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::mul, a, b);
}
Index operator/(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::div, a, b);
}
Index operator%(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::rem, a, b);
}
Index operator-(IndexOperand a) { return IndexOperand(0, a.where) - a; }

Index min(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::min, a, b);
}
Index max(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::max, a, b);
}
Index ceil_div(IndexOperand a, IndexOperand b) {
  return arithmetic(Binary::ceilDiv, a, b);
}

Index clamp(IndexOperand a, IndexOperand least, IndexOperand largest) {
  return min(max(a, least), largest);
}

Index multiple_of(IndexOperand a, int64_t n) {
  Trace &trace = Trace::current(a.where);
  mlir::Value index = trace.read(a);
  if (n < 1)
    fail(a.where, "multiple_of promises a multiple of " + std::to_string(n) +
                      "; give a positive number");
  if (auto number = mlir::getConstantIntValue(index); number && *number % n)
    fail(a.where, "multiple_of promises that " + std::to_string(*number) +
                      " is a multiple of " + std::to_string(n) +
                      ", which it is not; correct one of them");
  return trace.declare<Index>(
      HandleKind::index,
      trace.create<tile::MultipleOfOp>(
          a.where, mlir::IndexType::get(trace.context()), index, n),
      a.where);
}

Index at_most(IndexOperand a, int64_t most) {
  Trace &trace = Trace::current(a.where);
  trace.requireKernelFrame("at_most", a.where);
  mlir::Value index = trace.read(a);
  if (most < 0)
    fail(a.where, "at_most takes an index up to " + std::to_string(most) +
                      "; give a number from 0 on");
  if (!tile::isKnownAtLaunch(index))
    fail(a.where, "at_most bounds an index that the launch can't compute; it "
                  "is of sizes, numbers and +, -, *, /, %, ceil_div, min, max "
                  "of them, 1000 in all");
  return trace.declare<Index>(
      HandleKind::index,
      trace.create<tile::AtMostOp>(
          a.where, mlir::IndexType::get(trace.context()), index, most),
      a.where);
}

Condition operator<(IndexOperand a, IndexOperand b) {
  return compare(Comparison::lt, a, b);
}
Condition operator<=(IndexOperand a, IndexOperand b) {
  return compare(Comparison::le, a, b);
}
Condition operator>(IndexOperand a, IndexOperand b) {
  return compare(Comparison::gt, a, b);
}
Condition operator>=(IndexOperand a, IndexOperand b) {
  return compare(Comparison::ge, a, b);
}
Condition operator==(IndexOperand a, IndexOperand b) {
  return compare(Comparison::eq, a, b);
}
Condition operator!=(IndexOperand a, IndexOperand b) {
  return compare(Comparison::ne, a, b);
}

Index select(const Condition &condition, IndexOperand a, IndexOperand b) {
  Trace &trace = Trace::current(a.where);
  mlir::Value truth = trace.read(condition, a.where);
  mlir::Value left = trace.read(a), right = trace.read(b);
  return trace.declare<Index>(HandleKind::index,
                              emitSelect(trace, truth, left, right, a.where),
                              a.where);
}

Index &Index::operator+=(IndexOperand other) {
  return *this = IndexOperand(*this, other.where) + other;
}
Index &Index::operator-=(IndexOperand other) {
  return *this = IndexOperand(*this, other.where) - other;
}
Index &Index::operator*=(IndexOperand other) {
  return *this = IndexOperand(*this, other.where) * other;
}
Index &Index::operator/=(IndexOperand other) {
  return *this = IndexOperand(*this, other.where) / other;
}
Index &Index::operator%=(IndexOperand other) {
  return *this = IndexOperand(*this, other.where) % other;
}

} // namespace ashlar
