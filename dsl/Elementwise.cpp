#include "Elementwise.h"
#include "Describe.h"
#include "compiler/target/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace ashlar::detail {

using namespace mlir;

namespace {

bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

template <class FloatOp, class IntegerOp>
Value emitEither(Trace &trace, Value a, Value b, SourceLocation where) {
  return isFloat(a) ? trace.emit<FloatOp>(where, a, b)
                    : trace.emit<IntegerOp>(where, a, b);
}

/// Sums and products contract to fused multiply-adds, as they do with nvcc.
template <class FloatOp, class IntegerOp>
Value emitContractable(Trace &trace, Value a, Value b, SourceLocation where) {
  return isFloat(a)
             ? trace.emit<FloatOp>(where, a, b, arith::FastMathFlags::contract)
             : trace.emit<IntegerOp>(where, a, b);
}

/// What is shifted beyond the bits of its type has no value in LLVM.
template <class Op>
Value emitShift(Trace &trace, Value a, Value amount, SourceLocation where) {
  unsigned bits = getElementTypeOrSelf(a).getIntOrFloatBitWidth();
  Value mask = emitNumber(trace, bits - 1, a.getType(), where);
  return trace.emit<Op>(where, a,
                        trace.emit<arith::AndIOp>(where, amount, mask));
}

} // namespace

void refuseStorage(Value a, SourceLocation where) {
  Type type = getElementTypeOrSelf(a);
  if (tile::isStorage(type))
    fail(where, "nothing is computed with " + tile::elementName(type) +
                    ", and this fragment is " + describe(a.getType()) +
                    ": convert it first, to f32 or bf16 say");
}

void requireFloat(Value a, const char *function, SourceLocation where) {
  refuseStorage(a, where);
  if (!isFloat(a))
    fail(where, std::string(function) + " of " + describe(a.getType()) +
                    "; it is defined for floating-point types: convert first");
}

void requireInteger(Value a, const char *function, SourceLocation where) {
  refuseStorage(a, where);
  if (isFloat(a))
    fail(where, std::string(function) + " of " + describe(a.getType()) +
                    "; it is defined for integers: convert first");
}

Value emit(Trace &trace, Binary operation, Value a, Value b,
           SourceLocation where) {
  refuseStorage(a, where);
  switch (operation) {
  case Binary::add:
    return emitContractable<arith::AddFOp, arith::AddIOp>(trace, a, b, where);
  case Binary::sub:
    return emitContractable<arith::SubFOp, arith::SubIOp>(trace, a, b, where);
  case Binary::mul:
    return emitContractable<arith::MulFOp, arith::MulIOp>(trace, a, b, where);
  case Binary::mulRounded:
    requireFloat(a, "mul_rn", where);
    return trace.emit<arith::MulFOp>(where, a, b);
  case Binary::div:
    return emitEither<arith::DivFOp, arith::DivSIOp>(trace, a, b, where);
  case Binary::divFast:
    requireFloat(a, "fast::divide", where);
    return trace.emit<arith::DivFOp>(where, a, b, arith::FastMathFlags::afn);
  case Binary::pow:
    requireFloat(a, "pow", where);
    return trace.emit<math::PowFOp>(where, a, b);
  case Binary::powFast:
    requireFloat(a, "fast::pow", where);
    return trace.emit<math::PowFOp>(where, a, b, arith::FastMathFlags::afn);
  case Binary::rem:
    requireInteger(a, "%", where);
    return trace.emit<arith::RemSIOp>(where, a, b);
  case Binary::min:
    return emitEither<arith::MinimumFOp, arith::MinSIOp>(trace, a, b, where);
  case Binary::max:
    return emitEither<arith::MaximumFOp, arith::MaxSIOp>(trace, a, b, where);
  case Binary::ceilDiv:
    return trace.emit<arith::CeilDivSIOp>(where, a, b);
  case Binary::bitAnd:
    requireInteger(a, "&", where);
    return trace.emit<arith::AndIOp>(where, a, b);
  case Binary::bitOr:
    requireInteger(a, "|", where);
    return trace.emit<arith::OrIOp>(where, a, b);
  case Binary::bitXor:
    requireInteger(a, "^", where);
    return trace.emit<arith::XOrIOp>(where, a, b);
  case Binary::shiftLeft:
    requireInteger(a, "<<", where);
    return emitShift<arith::ShLIOp>(trace, a, b, where);
  case Binary::shiftRight:
    requireInteger(a, ">>", where);
    return emitShift<arith::ShRSIOp>(trace, a, b, where);
  }
  return {};
}

Value emit(Trace &trace, Unary operation, Value a, SourceLocation where) {
  refuseStorage(a, where);
  switch (operation) {
  case Unary::negate:
    if (isFloat(a))
      return trace.emit<arith::NegFOp>(where, a);
    return trace.emit<arith::SubIOp>(
        where, emitNumber(trace, 0, a.getType(), where), a);
  case Unary::abs:
    if (isFloat(a))
      return trace.emit<math::AbsFOp>(where, a);
    return trace.emit<math::AbsIOp>(where, a);
  }
  return {};
}

Value emit(Trace &trace, Comparison comparison, Value a, Value b,
           SourceLocation where) {
  refuseStorage(a, where);
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  struct Predicates {
    F real;
    I integer;
  };
  auto predicates = [&]() -> Predicates {
    switch (comparison) {
    case Comparison::lt:
      return {F::OLT, I::slt};
    case Comparison::le:
      return {F::OLE, I::sle};
    case Comparison::gt:
      return {F::OGT, I::sgt};
    case Comparison::ge:
      return {F::OGE, I::sge};
    case Comparison::eq:
      return {F::OEQ, I::eq};
    case Comparison::ne:
      return {F::UNE, I::ne};
    }
    return {};
  }();
  return isFloat(a)
             ? trace.emit<arith::CmpFOp>(where, predicates.real, a, b)
             : trace.emit<arith::CmpIOp>(where, predicates.integer, a, b);
}

Value emitFma(Trace &trace, Value a, Value b, Value c, SourceLocation where) {
  requireFloat(a, "fma", where);
  return trace.emit<math::FmaOp>(where, a, b, c);
}

Value emitNot(Trace &trace, Value a, SourceLocation where) {
  Value ones = emitNumber(trace, -1, a.getType(), where);
  return trace.emit<arith::XOrIOp>(where, a, ones);
}

Value emitSelect(Trace &trace, Value condition, Value a, Value b,
                 SourceLocation where) {
  refuseStorage(a, where);
  return trace.emit<arith::SelectOp>(where, condition, a, b);
}

Value emitSplat(Trace &trace, Value scalar, RankedTensorType type,
                SourceLocation where) {
  return trace.create<tile::SplatOp>(where, type, scalar);
}

Value emitNumber(Trace &trace, double number, Type type, SourceLocation where) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return emitSplat(trace,
                     emitNumber(trace, number, tensor.getElementType(), where),
                     tensor, where);
  if (isa<FloatType>(type))
    return trace.constant(FloatAttr::get(type, number), where);
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, bits - 1);
  if (number != std::nearbyint(number) || number < -limit || number >= limit)
    fail(where, std::to_string(number) + " is not an " + describe(type));
  return trace.constant(IntegerAttr::get(type, static_cast<int64_t>(number)),
                        where);
}

Value emitNumberOf(Trace &trace, Value index, Type type, SourceLocation where) {
  Type i32 = IntegerType::get(trace.context(), 32);
  return emitConvert(trace, trace.emit<arith::IndexCastOp>(where, i32, index),
                     type, where);
}

namespace {

template <class Op>
Value convertTo(Trace &trace, Value value, Type element, SourceLocation where) {
  Type type = element;
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    type = tensor.clone(element);
  return trace.emit<Op>(where, type, value);
}

/// From or to elements that are only stored: at once, or by way of another
/// type.
Value convertStorage(Trace &trace, Value value, Type to, SourceLocation where) {
  auto tensor = cast<RankedTensorType>(value.getType());
  Type from = tensor.getElementType();
  if (target::canConvert(*tile::elementType(from), *tile::elementType(to)))
    return trace.create<tile::ConvertOp>(where, tensor.clone(to), value);
  Builder types(trace.context());
  Type between = types.getF32Type();
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    between = tile::isStorage(from)
                  ? types.getIntegerType(tile::isStorage(to) ? 32 : 8)
                  : types.getI32Type();
  return emitConvert(trace, emitConvert(trace, value, between, where), to,
                     where);
}

} // namespace

Value emitConvert(Trace &trace, Value value, Type to, SourceLocation where) {
  Type from = getElementTypeOrSelf(value);
  if (from == to)
    return value;
  if (tile::isStorage(from) || tile::isStorage(to))
    return convertStorage(trace, value, to, where);
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = to.getIntOrFloatBitWidth();
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  // The chip has no conversion between integers and fp8.
  Type f32 = Float32Type::get(trace.context());
  if (fromFloat != toFloat && (fromFloat ? fromBits : toBits) == 8)
    return emitConvert(trace, emitConvert(trace, value, f32, where), to, where);
  if (fromFloat && !toFloat)
    return convertTo<arith::FPToSIOp>(trace, value, to, where);
  if (!fromFloat && toFloat)
    return convertTo<arith::SIToFPOp>(trace, value, to, where);
  if (!fromFloat)
    return fromBits < toBits
               ? convertTo<arith::ExtSIOp>(trace, value, to, where)
               : convertTo<arith::TruncIOp>(trace, value, to, where);
  if (fromBits < toBits)
    return convertTo<arith::ExtFOp>(trace, value, to, where);
  if (fromBits > toBits)
    return convertTo<arith::TruncFOp>(trace, value, to, where);
  // bf16 and f16, e4m3 and e5m2: neither holds the other
  return emitConvert(trace, emitConvert(trace, value, f32, where), to, where);
}

Value emitBitcast(Trace &trace, Value value, Type element,
                  SourceLocation where) {
  refuseStorage(value, where);
  Type from = getElementTypeOrSelf(value);
  if (tile::isStorage(element))
    fail(where, "bitcast gives no " + tile::elementName(element) +
                    ", which is only stored: convert to it");
  if (from.getIntOrFloatBitWidth() != element.getIntOrFloatBitWidth())
    fail(where, "bitcast of " + describe(value.getType()) + " to " +
                    describe(element) + "; both have as many bits");
  return from == element
             ? value
             : convertTo<arith::BitcastOp>(trace, value, element, where);
}

Value emitZeroExtend(Trace &trace, Value value, Type element,
                     SourceLocation where) {
  return convertTo<arith::ExtUIOp>(trace, value, element, where);
}

} // namespace ashlar::detail
