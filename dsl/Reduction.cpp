#include "ashlar/reduction.h"
#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"
#include "compiler/layout/Reduction.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace ashlar {

using namespace detail;

namespace {

using Dimensions = llvm::SmallVector<int64_t, 1>;

mlir::RankedTensorType typeOf(mlir::Value fragment) {
  return llvm::cast<mlir::RankedTensorType>(fragment.getType());
}

/// The last dimension, or the last but one.
Dimensions dimension(mlir::Value value, const char *function,
                     int64_t fromBehind, SourceLocation where) {
  int64_t rank = typeOf(value).getRank();
  if (rank < 2)
    fail(where, std::string(function) + " of " + describe(value.getType()) +
                    ", which has one dimension; sum, max, min, any and all "
                    "combine all elements");
  return {rank - fromBehind};
}
constexpr int64_t ofRows = 1, ofColumns = 2;

Dimensions everything(mlir::Value value) {
  Dimensions all(typeOf(value).getRank());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Values of 32 bits, combined.
mlir::Value combine(Trace &trace, mlir::Value value, tile::Reduction how,
                    const Dimensions &along, SourceLocation where) {
  return trace.create<tile::ReduceOp>(
      where, tile::ReduceOp::resultType(typeOf(value), along), value, how,
      along);
}

/// The value in the type that it is combined in.
mlir::Value wide(Trace &trace, mlir::Value value, SourceLocation where) {
  refuseStorage(value, where);
  mlir::Builder types(trace.context());
  mlir::Type element = typeOf(value).getElementType();
  mlir::Type combined = llvm::isa<mlir::FloatType>(element)
                            ? mlir::Type(types.getF32Type())
                            : mlir::Type(types.getI32Type());
  return emitConvert(trace, value, combined, where);
}

/// What was combined in the type of its elements; sums of short integers stay
/// as long as they are computed.
mlir::Value narrow(Trace &trace, mlir::Value combined, tile::Reduction how,
                   mlir::Type element, SourceLocation where) {
  return how == tile::Reduction::add && element.isInteger()
             ? combined
             : emitConvert(trace, combined, element, where);
}

mlir::Value reduce(Trace &trace, const Fragment &a, tile::Reduction how,
                   const char *function, int64_t fromBehind,
                   SourceLocation where) {
  mlir::Value value = trace.read(a, where);
  mlir::Value result =
      combine(trace, wide(trace, value, where), how,
              fromBehind ? dimension(value, function, fromBehind, where)
                         : everything(value),
              where);
  return narrow(trace, result, how, typeOf(value).getElementType(), where);
}

Fragment along(const Fragment &a, tile::Reduction how, const char *function,
               int64_t fromBehind, SourceLocation where) {
  Trace &trace = Trace::current(where);
  return trace.declare<Fragment>(
      HandleKind::fragment, reduce(trace, a, how, function, fromBehind, where),
      where);
}

Scalar ofAll(const Fragment &a, tile::Reduction how, const char *function,
             SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value one = reduce(trace, a, how, function, 0, where);
  return trace.declare<Scalar>(
      HandleKind::scalar,
      trace.create<tile::ElementOp>(where, typeOf(one).getElementType(), one),
      where);
}

/// Where a mask is true 1 is the largest, and 0 the least.
mlir::Value truth(Trace &trace, const Mask &a, tile::Reduction how,
                  const char *function, int64_t fromBehind,
                  SourceLocation where) {
  mlir::Value mask = trace.read(a, where);
  mlir::Type i32 = mlir::IntegerType::get(trace.context(), 32);
  mlir::Value number = emitZeroExtend(trace, mask, i32, where);
  mlir::Value result =
      combine(trace, number, how,
              fromBehind ? dimension(mask, function, fromBehind, where)
                         : everything(mask),
              where);
  return emit(trace, Comparison::ne, result,
              emitNumber(trace, 0, result.getType(), where), where);
}

Mask maskAlong(const Mask &a, tile::Reduction how, const char *function,
               int64_t fromBehind, SourceLocation where) {
  Trace &trace = Trace::current(where);
  return trace.declare<Mask>(HandleKind::mask,
                             truth(trace, a, how, function, fromBehind, where),
                             where);
}

Condition ofWholeMask(const Mask &a, tile::Reduction how, const char *function,
                      SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value one = truth(trace, a, how, function, 0, where);
  return trace.declare<Condition>(
      HandleKind::condition,
      trace.create<tile::ElementOp>(where, typeOf(one).getElementType(), one),
      where);
}

/// What stands for no element at all, the least or largest value of s32,
/// brought into the range of shorter integers.
mlir::Value inRange(Trace &trace, mlir::Value value, tile::Reduction how,
                    unsigned bits, SourceLocation where) {
  if (bits == 32)
    return value;
  const bool isMax = how == tile::Reduction::max;
  const double limit = std::ldexp(1, static_cast<int>(bits) - 1);
  return emit(
      trace, isMax ? Binary::max : Binary::min, value,
      emitNumber(trace, isMax ? -limit : limit - 1, value.getType(), where),
      where);
}

/// `function` without "row" or "column", which have it both.
Fragment scan(const Fragment &a, tile::Reduction how, bool exclusive,
              const std::string &function, int64_t fromBehind,
              SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(a, where);
  mlir::Type element = typeOf(value).getElementType();
  const int64_t along = typeOf(value).getRank() - fromBehind;
  if (along < 0)
    fail(where, "column" + function + " of " + describe(value.getType()) +
                    ", which has one dimension; a vector is one row: row" +
                    function + " scans it");
  mlir::Value result = trace.create<tile::ScanOp>(
      where, wide(trace, value, where), how, along, exclusive);
  if (exclusive && how != tile::Reduction::add && element.isInteger())
    result =
        inRange(trace, result, how, element.getIntOrFloatBitWidth(), where);
  return trace.declare<Fragment>(
      HandleKind::fragment, narrow(trace, result, how, element, where), where);
}

/// The least coordinate of what equals the largest or least, or is NaN.
Fragment position(const Fragment &a, tile::Reduction how, const char *function,
                  int64_t fromBehind, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = wide(trace, trace.read(a, where), where);
  mlir::RankedTensorType type = typeOf(value);
  Dimensions along = dimension(value, function, fromBehind, where);
  mlir::Value best = combine(trace, value, how, along, where);
  const std::vector<int> kept =
      layout::keptDimensions(type.getRank(), {along.begin(), along.end()});
  mlir::Value everywhere = trace.create<tile::BroadcastOp>(
      where, type, best, llvm::SmallVector<int64_t>(kept.begin(), kept.end()));
  mlir::Value isBest = emit(trace, Comparison::eq, value, everywhere, where);
  if (llvm::isa<mlir::FloatType>(type.getElementType()))
    isBest = emit(trace, Binary::bitOr, isBest,
                  emit(trace, Comparison::ne, value, value, where), where);
  auto indices = type.clone(mlir::IntegerType::get(trace.context(), 32));
  mlir::Value at =
      trace.create<tile::CoordinateOp>(where, indices, along.front());
  mlir::Value none =
      emitNumber(trace, std::numeric_limits<int32_t>::max(), indices, where);
  return trace.declare<Fragment>(
      HandleKind::fragment,
      combine(trace, emitSelect(trace, isBest, at, none, where),
              tile::Reduction::min, along, where),
      where);
}

} // namespace

#define ASHLAR_SCAN_OF(name, kind, operation, how, isExclusive, fromBehind)    \
  Fragment name##_##kind##_##operation(const Fragment &a,                      \
                                       SourceLocation where) {                 \
    return scan(a, tile::Reduction::how, isExclusive,                          \
                "_" #kind "_" #operation, fromBehind, where);                  \
  }
#define ASHLAR_SCAN(name, kind, isExclusive, fromBehind)                       \
  ASHLAR_SCAN_OF(name, kind, sum, add, isExclusive, fromBehind)                \
  ASHLAR_SCAN_OF(name, kind, max, max, isExclusive, fromBehind)                \
  ASHLAR_SCAN_OF(name, kind, min, min, isExclusive, fromBehind)
#define ASHLAR_ALONG(name, fromBehind)                                         \
  Fragment name##_sum(const Fragment &a, SourceLocation where) {               \
    return along(a, tile::Reduction::add, #name "_sum", fromBehind, where);    \
  }                                                                            \
  Fragment name##_max(const Fragment &a, SourceLocation where) {               \
    return along(a, tile::Reduction::max, #name "_max", fromBehind, where);    \
  }                                                                            \
  Fragment name##_min(const Fragment &a, SourceLocation where) {               \
    return along(a, tile::Reduction::min, #name "_min", fromBehind, where);    \
  }                                                                            \
  Fragment name##_argmax(const Fragment &a, SourceLocation where) {            \
    return position(a, tile::Reduction::max, #name "_argmax", fromBehind,      \
                    where);                                                    \
  }                                                                            \
  Fragment name##_argmin(const Fragment &a, SourceLocation where) {            \
    return position(a, tile::Reduction::min, #name "_argmin", fromBehind,      \
                    where);                                                    \
  }                                                                            \
  ASHLAR_SCAN(name, inclusive, false, fromBehind)                              \
  ASHLAR_SCAN(name, exclusive, true, fromBehind)                               \
  Mask name##_any(const Mask &a, SourceLocation where) {                       \
    return maskAlong(a, tile::Reduction::max, #name "_any", fromBehind,        \
                     where);                                                   \
  }                                                                            \
  Mask name##_all(const Mask &a, SourceLocation where) {                       \
    return maskAlong(a, tile::Reduction::min, #name "_all", fromBehind,        \
                     where);                                                   \
  }

ASHLAR_ALONG(row, ofRows)
ASHLAR_ALONG(column, ofColumns)

Scalar sum(const Fragment &a, SourceLocation where) {
  return ofAll(a, tile::Reduction::add, "sum", where);
}
Scalar max(const Fragment &a, SourceLocation where) {
  return ofAll(a, tile::Reduction::max, "max", where);
}
Scalar min(const Fragment &a, SourceLocation where) {
  return ofAll(a, tile::Reduction::min, "min", where);
}
Condition any(const Mask &a, SourceLocation where) {
  return ofWholeMask(a, tile::Reduction::max, "any", where);
}
Condition all(const Mask &a, SourceLocation where) {
  return ofWholeMask(a, tile::Reduction::min, "all", where);
}

} // namespace ashlar
