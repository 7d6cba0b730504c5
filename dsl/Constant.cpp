// Constants stand once at the head of the role or the kernel that uses them.

#include "Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ashlar::detail {

mlir::Value Trace::constant(mlir::TypedAttr value, SourceLocation where) {
  ConstantPool &pool = isInRole() ? roleConstants : kernelConstants;
  mlir::Value &known = pool.values[value];
  if (known)
    return known;
  mlir::OpBuilder::InsertionGuard guard(builder);
  if (pool.last)
    builder.setInsertionPointAfter(pool.last);
  else
    builder.setInsertionPointToStart(frames[isInRole() ? 1 : 0].block);
  auto op = mlir::arith::ConstantOp::create(builder, location(where), value);
  pool.last = op;
  return known = op;
}

mlir::Value Trace::constantIndex(int64_t value, SourceLocation where) {
  if (!llvm::isInt<32>(value))
    fail(where, "the index " + std::to_string(value) +
                    " does not fit 32 bits, in which a thread counts; use one "
                    "between -2147483648 and 2147483647");
  return constant(builder.getIndexAttr(value), where);
}

} // namespace ashlar::detail
