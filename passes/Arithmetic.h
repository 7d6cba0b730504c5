// Index arithmetic that folds constants as it is built.
#ifndef ASHLAR_PASSES_ARITHMETIC_H
#define ASHLAR_PASSES_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ashlar {

/// Builds index operations at the builder's place and one location.
struct Arithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value) const {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Of the type that another number has.
  mlir::Value constant(int64_t value, mlir::Value like) const {
    return mlir::arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(like.getType(), value));
  }
  mlir::Value add(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::AddIOp>(loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) const {
    return b ? add(a, constant(b, a)) : a;
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::SubIOp>(loc, a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::MulIOp>(loc, a, b);
  }
  mlir::Value mul(mlir::Value a, int64_t b) const {
    return b == 1 ? a : mul(a, constant(b, a));
  }
  mlir::Value div(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::DivUIOp>(loc, a, b);
  }
  mlir::Value div(mlir::Value a, int64_t b) const {
    return b == 1 ? a : div(a, constant(b, a));
  }
  mlir::Value rem(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::RemUIOp>(loc, a, b);
  }
  mlir::Value rem(mlir::Value a, int64_t b) const {
    return b == 1 ? constant(0, a) : rem(a, constant(b, a));
  }
  mlir::Value ceilDiv(mlir::Value a, int64_t b) const {
    return b == 1 ? a : div(add(a, b - 1), b);
  }
  mlir::Value min(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::MinUIOp>(loc, a, b);
  }
  mlir::Value max(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::MaxUIOp>(loc, a, b);
  }
  mlir::Value shiftLeft(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::ShLIOp>(loc, a, b);
  }
  mlir::Value exclusiveOr(mlir::Value a, mlir::Value b) const {
    return builder.createOrFold<mlir::arith::XOrIOp>(loc, a, b);
  }
  mlir::Value equal(mlir::Value a, int64_t b) const {
    return mlir::arith::CmpIOp::create(
        builder, loc, mlir::arith::CmpIPredicate::eq, a, constant(b, a));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a,
                     mlir::Value b) const {
    return builder.createOrFold<mlir::arith::SelectOp>(loc, condition, a, b);
  }
};

} // namespace ashlar

#endif
