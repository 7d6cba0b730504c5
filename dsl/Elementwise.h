// Arithmetic on indices, scalars and whole fragments: one emitter for all.
#pragma once

#include "Trace.h"
#include "ashlar/condition.h"

namespace ashlar::detail {

enum class Binary {
  add,
  sub,
  mul,
  mulRounded, ///< never part of a fused multiply-add
  div,
  divFast, ///< by the approximation of the chip
  pow,
  powFast,
  rem,
  min,
  max,
  ceilDiv,
  bitAnd, ///< of truth values too
  bitOr,
  bitXor,
  shiftLeft, ///< by the amount modulo the bits of the type
  shiftRight ///< the same; the sign is repeated
};
enum class Unary { negate, abs };
enum class Comparison { lt, le, gt, ge, eq, ne };

/// A condition, or a truth value that is known.
mlir::Value readCondition(Trace &trace, const ConditionOperand &operand);

/// Throws for elements that are only moved and converted.
void refuseStorage(mlir::Value a, SourceLocation where);

/// Throws for a value that is not of floats.
void requireFloat(mlir::Value value, const char *function,
                  SourceLocation where);

/// Throws for a value that is not of integers.
void requireInteger(mlir::Value value, const char *function,
                    SourceLocation where);

/// Operands have one type: index, a number, or a tensor of numbers.
mlir::Value emit(Trace &trace, Binary operation, mlir::Value a, mlir::Value b,
                 SourceLocation where);
mlir::Value emit(Trace &trace, Unary operation, mlir::Value a,
                 SourceLocation where);
mlir::Value emit(Trace &trace, Comparison comparison, mlir::Value a,
                 mlir::Value b, SourceLocation where);
/// a · b + c, rounded once.
mlir::Value emitFma(Trace &trace, mlir::Value a, mlir::Value b, mlir::Value c,
                    SourceLocation where);
mlir::Value emitNot(Trace &trace, mlir::Value a, SourceLocation where);
mlir::Value emitSelect(Trace &trace, mlir::Value condition, mlir::Value a,
                       mlir::Value b, SourceLocation where);

/// The value with another element type.
mlir::Value emitConvert(Trace &trace, mlir::Value value, mlir::Type element,
                        SourceLocation where);

/// The same bits as another type of as many.
mlir::Value emitBitcast(Trace &trace, mlir::Value value, mlir::Type element,
                        SourceLocation where);

/// Unsigned integers with more bits.
mlir::Value emitZeroExtend(Trace &trace, mlir::Value value, mlir::Type element,
                           SourceLocation where);

/// A number everywhere in a value of this type: index, a number, or a tensor.
mlir::Value emitNumber(Trace &trace, double number, mlir::Type type,
                       SourceLocation where);
/// An index as a number of this type.
mlir::Value emitNumberOf(Trace &trace, mlir::Value index, mlir::Type type,
                         SourceLocation where);
/// A scalar everywhere in a fragment.
mlir::Value emitSplat(Trace &trace, mlir::Value scalar,
                      mlir::RankedTensorType type, SourceLocation where);

} // namespace ashlar::detail
