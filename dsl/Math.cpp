#include "ashlar/math.h"
#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace ashlar {

using namespace detail;

namespace {

template <class Op, Real T>
T apply(const char *function, const T &a, mlir::arith::FastMathFlags flags,
        SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(a, where);
  requireFloat(value, function, where);
  return trace.declare<T>(std::same_as<T, Fragment> ? HandleKind::fragment
                                                    : HandleKind::scalar,
                          trace.emit<Op>(where, value, flags), where);
}

} // namespace

// A function, with its flag; a function in both forms: the flag `afn` says that
// an approximation will do.
#define ASHLAR_FORM(function, Op, flag)                                        \
  template <Real T> T function(const T &a, SourceLocation where) {             \
    return apply<mlir::math::Op>(#function, a,                                 \
                                 mlir::arith::FastMathFlags::flag, where);     \
  }                                                                            \
  template Fragment function(const Fragment &, SourceLocation);                \
  template Scalar function(const Scalar &, SourceLocation);
#define ASHLAR_FUNCTION(function, Op)                                          \
  ASHLAR_FORM(function, Op, none)                                              \
  namespace fast {                                                             \
  ASHLAR_FORM(function, Op, afn)                                               \
  }

ASHLAR_FUNCTION(exp, ExpOp)
ASHLAR_FUNCTION(exp2, Exp2Op)
ASHLAR_FUNCTION(log, LogOp)
ASHLAR_FUNCTION(log2, Log2Op)
ASHLAR_FUNCTION(rsqrt, RsqrtOp)
ASHLAR_FUNCTION(sqrt, SqrtOp)
ASHLAR_FUNCTION(tanh, TanhOp)
ASHLAR_FUNCTION(sin, SinOp)
ASHLAR_FUNCTION(cos, CosOp)
ASHLAR_FORM(erf, ErfOp, none)
ASHLAR_FORM(floor, FloorOp, none)
ASHLAR_FORM(ceil, CeilOp, none)
ASHLAR_FORM(trunc, TruncOp, none)
ASHLAR_FORM(rint, RoundEvenOp, none)

} // namespace ashlar
