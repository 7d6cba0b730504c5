#include "ashlar/arithmetic.h"
#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"

#include "mlir/IR/TypeUtilities.h"

namespace ashlar {

using namespace detail;

namespace {

/// Operands of one shape and element type, read and broadcast.
struct Operands {
  mlir::Value a, b;
};

/// The type that fragments have when they meet. One operand is a fragment.
mlir::RankedTensorType commonType(const TileOperand &a, mlir::Value left,
                                  const TileOperand &b, mlir::Value right,
                                  SourceLocation where) {
  mlir::RankedTensorType types[2];
  if (a.fragment)
    types[0] = llvm::cast<mlir::RankedTensorType>(left.getType());
  if (b.fragment)
    types[1] = llvm::cast<mlir::RankedTensorType>(right.getType());
  if (!types[0] && !types[1])
    fail(where, "neither operand is a fragment, so the result has no shape; "
                "use full(type, shape, value) for one of them");
  if (!types[0] || !types[1])
    return types[0] ? types[0] : types[1];
  return types[0].clone(
      broadcastShape(types[0].getShape(), types[1].getShape()));
}

/// a · b + c. One operand is a fragment.
Fragment fused(const TileOperand &a, const TileOperand &b,
               const TileOperand &c) {
  SourceLocation where = a.where;
  Trace &trace = Trace::current(where);
  const TileOperand *operands[] = {&a, &b, &c};
  mlir::Value values[3];
  mlir::RankedTensorType type;
  for (int i : {0, 1, 2}) {
    values[i] = readTile(trace, *operands[i]);
    if (!operands[i]->fragment)
      continue;
    auto own = llvm::cast<mlir::RankedTensorType>(values[i].getType());
    type = type ? type.clone(broadcastShape(type.getShape(), own.getShape()))
                : own;
  }
  for (int i : {0, 1, 2})
    values[i] = spread(trace, *operands[i], values[i], type, where);
  return trace.declare<Fragment>(
      HandleKind::fragment,
      emitFma(trace, values[0], values[1], values[2], where), where);
}

Operands read(Trace &trace, const TileOperand &a, const TileOperand &b,
              SourceLocation where) {
  mlir::Value left = readTile(trace, a), right = readTile(trace, b);
  auto type = commonType(a, left, b, right, where);
  return {spread(trace, a, left, type, where),
          spread(trace, b, right, type, where)};
}

Fragment arithmetic(Binary operation, const TileOperand &a,
                    const TileOperand &b) {
  Trace &trace = Trace::current(a.where);
  Operands operands = read(trace, a, b, a.where);
  return trace.declare<Fragment>(
      HandleKind::fragment,
      emit(trace, operation, operands.a, operands.b, a.where), a.where);
}

Mask compare(Comparison comparison, const TileOperand &a,
             const TileOperand &b) {
  Trace &trace = Trace::current(a.where);
  Operands operands = read(trace, a, b, a.where);
  return trace.declare<Mask>(
      HandleKind::mask,
      emit(trace, comparison, operands.a, operands.b, a.where), a.where);
}

Fragment apply(Unary operation, const Fragment &a, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(a, where);
  return trace.declare<Fragment>(HandleKind::fragment,
                                 emit(trace, operation, value, where), where);
}

Mask combine(Binary operation, const Mask &a, const MaskOperand &b) {
  Trace &trace = Trace::current(b.where);
  mlir::Value left = trace.read(a, b.where);
  mlir::Value right = trace.read(*b.mask, b.where);
  const auto shape = broadcastShape(
      llvm::cast<mlir::RankedTensorType>(left.getType()).getShape(),
      llvm::cast<mlir::RankedTensorType>(right.getType()).getShape());
  left = broadcastLeading(trace, left, shape, b.where);
  right = broadcastLeading(trace, right, shape, b.where);
  return trace.declare<Mask>(
      HandleKind::mask, emit(trace, operation, left, right, b.where), b.where);
}

} // namespace

Fragment operator+(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::add, a, b);
}
Fragment operator+(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::add, a, b);
}
Fragment operator-(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::sub, a, b);
}
Fragment operator-(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::sub, a, b);
}
Fragment operator*(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::mul, a, b);
}
Fragment operator*(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::mul, a, b);
}
Fragment operator/(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::div, a, b);
}
Fragment operator/(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::div, a, b);
}
Fragment operator-(FragmentOperand a) {
  return apply(Unary::negate, *a.fragment, a.where);
}

Fragment operator%(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::rem, a, b);
}
Fragment operator%(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::rem, a, b);
}
Fragment operator&(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::bitAnd, a, b);
}
Fragment operator&(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::bitAnd, a, b);
}
Fragment operator|(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::bitOr, a, b);
}
Fragment operator|(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::bitOr, a, b);
}
Fragment operator^(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::bitXor, a, b);
}
Fragment operator^(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::bitXor, a, b);
}
Fragment operator<<(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::shiftLeft, a, b);
}
Fragment operator<<(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::shiftLeft, a, b);
}
Fragment operator>>(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::shiftRight, a, b);
}
Fragment operator>>(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::shiftRight, a, b);
}
Fragment operator~(FragmentOperand a) {
  Trace &trace = Trace::current(a.where);
  mlir::Value value = trace.read(*a.fragment, a.where);
  requireInteger(value, "~", a.where);
  return trace.declare<Fragment>(HandleKind::fragment,
                                 emitNot(trace, value, a.where), a.where);
}

Fragment &operator+=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) + b;
}
Fragment &operator-=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) - b;
}
Fragment &operator*=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) * b;
}
Fragment &operator/=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) / b;
}
Fragment &operator%=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) % b;
}
Fragment &operator&=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) & b;
}
Fragment &operator|=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) | b;
}
Fragment &operator^=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) ^ b;
}
Fragment &operator<<=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) << b;
}
Fragment &operator>>=(Fragment &a, TileOperand b) {
  return a = FragmentOperand(a, b.where) >> b;
}

Fragment mul_rn(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::mulRounded, a, b);
}
Fragment mul_rn(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::mulRounded, a, b);
}

Fragment fma(FragmentOperand a, TileOperand b, TileOperand c) {
  return fused(a, b, c);
}
Fragment fma(SpreadOperand a, FragmentOperand b, TileOperand c) {
  return fused(a, b, c);
}
Fragment fma(SpreadOperand a, SpreadOperand b, FragmentOperand c) {
  return fused(a, b, c);
}

Fragment rescale(FragmentOperand a, TileOperand b) {
  Trace &trace = Trace::current(a.where);
  Operands operands = read(trace, a, b, a.where);
  mlir::Value product =
      emit(trace, Binary::mul, operands.a, operands.b, a.where);
  product.getDefiningOp()->setAttr(tile::mostlyOne,
                                   mlir::UnitAttr::get(product.getContext()));
  return trace.declare<Fragment>(HandleKind::fragment, product, a.where);
}

Fragment max(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::max, a, b);
}
Fragment max(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::max, a, b);
}
Fragment min(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::min, a, b);
}
Fragment min(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::min, a, b);
}

Mask operator<(FragmentOperand a, TileOperand b) {
  return compare(Comparison::lt, a, b);
}
Mask operator<(SpreadOperand a, FragmentOperand b) {
  return compare(Comparison::lt, a, b);
}
Mask operator<=(FragmentOperand a, TileOperand b) {
  return compare(Comparison::le, a, b);
}
Mask operator<=(SpreadOperand a, FragmentOperand b) {
  return compare(Comparison::le, a, b);
}
Mask operator>(FragmentOperand a, TileOperand b) {
  return compare(Comparison::gt, a, b);
}
Mask operator>(SpreadOperand a, FragmentOperand b) {
  return compare(Comparison::gt, a, b);
}
Mask operator>=(FragmentOperand a, TileOperand b) {
  return compare(Comparison::ge, a, b);
}
Mask operator>=(SpreadOperand a, FragmentOperand b) {
  return compare(Comparison::ge, a, b);
}
Mask operator==(FragmentOperand a, TileOperand b) {
  return compare(Comparison::eq, a, b);
}
Mask operator!=(FragmentOperand a, TileOperand b) {
  return compare(Comparison::ne, a, b);
}

Mask operator&&(const Mask &a, MaskOperand b) {
  return combine(Binary::bitAnd, a, b);
}
Mask operator||(const Mask &a, MaskOperand b) {
  return combine(Binary::bitOr, a, b);
}
Mask operator!(const Mask &a) {
  SourceLocation where = a.declared_at();
  Trace &trace = Trace::current(where);
  return trace.declare<Mask>(
      HandleKind::mask, emitNot(trace, trace.read(a, where), where), where);
}

Fragment select(const Mask &mask, TileOperand a, TileOperand b,
                SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value truth = trace.read(mask, where);
  Operands operands = read(trace, a, b, where);
  const auto shape = broadcastShape(
      llvm::cast<mlir::RankedTensorType>(truth.getType()).getShape(),
      llvm::cast<mlir::RankedTensorType>(operands.a.getType()).getShape());
  for (mlir::Value *each : {&truth, &operands.a, &operands.b})
    *each = broadcastLeading(trace, *each, shape, where);
  return trace.declare<Fragment>(
      HandleKind::fragment,
      emitSelect(trace, truth, operands.a, operands.b, where), where);
}

Fragment abs(const Fragment &a, SourceLocation where) {
  return apply(Unary::abs, a, where);
}
Fragment pow(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::pow, a, b);
}
Fragment pow(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::pow, a, b);
}
Fragment clamp(FragmentOperand a, TileOperand least, TileOperand largest) {
  return min(max(a, least), largest);
}
Mask isnan(const Fragment &a, SourceLocation where) {
  Trace &trace = Trace::current(where);
  requireFloat(trace.read(a, where), "isnan", where);
  return compare(Comparison::ne, FragmentOperand(a, where),
                 FragmentOperand(a, where));
}

namespace fast {

Fragment divide(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::divFast, a, b);
}
Fragment divide(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::divFast, a, b);
}
Fragment pow(FragmentOperand a, TileOperand b) {
  return arithmetic(Binary::powFast, a, b);
}
Fragment pow(SpreadOperand a, FragmentOperand b) {
  return arithmetic(Binary::powFast, a, b);
}

} // namespace fast
} // namespace ashlar
