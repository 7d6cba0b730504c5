#include "ashlar/fragment.h"
#include "Broadcast.h"
#include "Describe.h"
#include "Elementwise.h"

namespace ashlar {

using namespace detail;

namespace {

Fragment declareFragment(Trace &trace, mlir::Value value,
                         SourceLocation where) {
  return trace.declare<Fragment>(HandleKind::fragment, value, where);
}

} // namespace

Shape Fragment::shape(SourceLocation where) const {
  Trace &trace = Trace::current(where);
  auto type =
      llvm::cast<mlir::RankedTensorType>(trace.read(*this, where).getType());
  return Shape(type.getShape().vec());
}

Fragment zeros(ElementType type, const Shape &shape, SourceLocation where) {
  return full(type, shape, ScalarOperand(0, where), where);
}

Fragment full(ElementType type, const Shape &shape, ScalarOperand value,
              SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto tensor = fragmentType(trace.context(), type, shape, where);
  mlir::Type element = tensor.getElementType();
  mlir::Value scalar = value.scalar
                           ? trace.read(*value.scalar, where)
                           : emitNumber(trace, value.number, element, where);
  if (scalar.getType() != element)
    fail(where, "a fragment of " + describe(element) +
                    " is filled with a scalar of " +
                    describe(scalar.getType()) + "; convert the scalar");
  return declareFragment(trace, emitSplat(trace, scalar, tensor, where), where);
}

Fragment convert(const Fragment &fragment, ElementType type,
                 SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = trace.read(fragment, where);
  auto from = llvm::cast<mlir::RankedTensorType>(value.getType());
  auto to =
      fragmentType(trace.context(), type, Shape(from.getShape().vec()), where);
  return declareFragment(
      trace, emitConvert(trace, value, to.getElementType(), where), where);
}

Fragment broadcast(const Fragment &fragment, const Shape &shape,
                   SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the fragment", shape, where);
  mlir::Value value = trace.read(fragment, where);
  return declareFragment(trace, broadcastLeading(trace, value, extents, where),
                         where);
}

Fragment broadcast(const ColumnVector &column, const Shape &shape,
                   SourceLocation where) {
  Trace &trace = Trace::current(where);
  auto extents = checkedShape("the fragment", shape, where);
  mlir::Value value = trace.read(column.values(), where);
  return declareFragment(trace, broadcastColumn(trace, value, extents, where),
                         where);
}

} // namespace ashlar
