#include "Describe.h"
#include "Elementwise.h"
#include "SharedType.h"
#include "ashlar/fragment.h"

namespace ashlar {

using namespace detail;

namespace {

/// A or B of a product, as it is seen.
struct Factor {
  mlir::Value value;
  Shape shape;
  mlir::Type element;
  bool isTransposed = false;
  mlir::Value metadata = {}; ///< of a sparse A
};

Factor factor(Trace &trace, const SharedTile &tile, SourceLocation where) {
  mlir::Value value = trace.read(tile, where);
  refusePeer(value, "mma", where);
  return {value, tile.shape(where),
          llvm::cast<tile::SharedType>(value.getType()).getElementType(),
          tile.is_transposed()};
}

Factor factor(Trace &trace, const Fragment &fragment, SourceLocation where) {
  mlir::Value value = trace.read(fragment, where);
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return {value, Shape(type.getShape().vec()), type.getElementType()};
}

/// A with its zeros.
Factor factor(Trace &trace, const Sparse &sparse, SourceLocation where) {
  Factor whole = sparse.tile ? factor(trace, *sparse.tile, where)
                             : factor(trace, *sparse.fragment, where);
  whole.metadata = trace.read(sparse.metadata, where);
  if (whole.shape.rank() == 2)
    whole.shape = Shape({whole.shape[0], 2 * whole.shape[1]});
  return whole;
}

/// Nothing that is added: the sum of what wgmma multiplies in most bits.
mlir::Value nothing(Trace &trace, const Factor &a, const Factor &b,
                    SourceLocation where) {
  mlir::Builder types(trace.context());
  mlir::Type element = a.element.isInteger() ? mlir::Type(types.getI32Type())
                                             : mlir::Type(types.getF32Type());
  if (a.shape.rank() != 2 || b.shape.rank() != 2)
    fail(where, "mma of A " + a.shape.str() + " and B " + b.shape.str() +
                    ": give each two dimensions");
  return emitNumber(
      trace, 0, mlir::RankedTensorType::get({a.shape[0], b.shape[1]}, element),
      where);
}

Fragment multiply(Trace &trace, const Factor &a, const Factor &b,
                  mlir::Value sum, SourceLocation where) {
  auto type = llvm::cast<mlir::RankedTensorType>(sum.getType());
  Shape shapeOfSum(type.getShape().vec());
  std::string subject = "mma of A " + a.shape.str() + ", B " + b.shape.str() +
                        " and an accumulator of " + shapeOfSum.str() + ": ";
  if (a.shape.rank() != 2 || b.shape.rank() != 2 || shapeOfSum.rank() != 2)
    fail(where, subject + "give each two dimensions");
  if (a.shape[1] != b.shape[0])
    fail(where, subject + "A is M×K and B is K×N, and K is " +
                    std::to_string(a.shape[1]) + " and " +
                    std::to_string(b.shape[0]) + "; is a .T() missing?");
  if (shapeOfSum[0] != a.shape[0] || shapeOfSum[1] != b.shape[1])
    fail(where, subject + "the product is " + std::to_string(a.shape[0]) + "x" +
                    std::to_string(b.shape[1]) +
                    "; give the accumulator that shape");
  auto op =
      trace.create<tile::MmaOp>(where, type, a.value, b.value, sum, a.metadata,
                                a.isTransposed, b.isTransposed);
  return trace.declare<Fragment>(HandleKind::fragment, op, where);
}

template <class A>
Fragment multiply(const A &a, const SharedTile &b, const Fragment *sum,
                  SourceLocation where) {
  Trace &trace = Trace::current(where);
  Factor left = factor(trace, a, where), right = factor(trace, b, where);
  return multiply(trace, left, right,
                  sum ? trace.read(*sum, where)
                      : nothing(trace, left, right, where),
                  where);
}

} // namespace

Fragment mma(const SharedTile &a, const SharedTile &b,
             const Fragment &accumulator, SourceLocation where) {
  return multiply(a, b, &accumulator, where);
}
Fragment mma(const Fragment &a, const SharedTile &b,
             const Fragment &accumulator, SourceLocation where) {
  return multiply(a, b, &accumulator, where);
}
Fragment mma(const SharedTile &a, const SharedTile &b, SourceLocation where) {
  return multiply(a, b, nullptr, where);
}
Fragment mma(const Fragment &a, const SharedTile &b, SourceLocation where) {
  return multiply(a, b, nullptr, where);
}

Fragment mma(const Sparse &a, const SharedTile &b, const Fragment &accumulator,
             SourceLocation where) {
  return multiply(a, b, &accumulator, where);
}
Fragment mma(const Sparse &a, const SharedTile &b, SourceLocation where) {
  return multiply(a, b, nullptr, where);
}

} // namespace ashlar
