// Builds one thread's operations: arithmetic on i32, and PTX by name.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_PTXBUILDER_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_PTXBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace ashlar {

class PtxBuilder : public mlir::OpBuilder {
public:
  /// At a builder's place.
  PtxBuilder(const mlir::OpBuilder &at, mlir::Location loc, bool comments)
      : mlir::OpBuilder(at), loc(loc), comments(comments) {}

  mlir::Location loc;

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value saturatingSub(mlir::Value a, mlir::Value b); ///< signed
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b);
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value extend(mlir::Value a);                  ///< i32 to i64, sign kept
  mlir::Value lessThan(mlir::Value a, mlir::Value b); ///< signed
  mlir::Value equal(mlir::Value a, mlir::Value b);
  /// Whether 0 <= coordinate < extent: one comparison, of unsigned numbers
  /// where the coordinate may be below 0.
  mlir::Value within(mlir::Value coordinate, mlir::Value extent,
                     bool nonNegative);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< of i1; null is true
  mlir::Value flag(mlir::Value condition);        ///< i1 to i32

  /// Inline PTX. `$0` and on are the results, then the operands. A result with
  /// the same number as an entry of `tied` starts with that operand's value;
  /// tied operands come first among the operands. Volatile, convergent.
  llvm::SmallVector<mlir::Value> ptx(llvm::StringRef text,
                                     mlir::TypeRange results,
                                     mlir::ValueRange operands,
                                     unsigned tied = 0);
  void ptx(llvm::StringRef text, mlir::ValueRange operands = {}) {
    ptx(text, mlir::TypeRange(), operands);
  }

  /// Inline PTX that computes $0 from its operands, and does nothing else.
  mlir::Value value(llvm::StringRef text, mlir::Type result,
                    mlir::ValueRange operands);

  /// The value, of 32 bits, of the lane whose number differs in one bit.
  mlir::Value fromLane(mlir::Value value, int64_t bit);

  /// An element of a vector.
  mlir::Value extract(mlir::Value vector, int64_t index);

  /// A call of an LLVM intrinsic.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands);

  /// The address `offset` elements behind a pointer.
  mlir::Value elementAddress(mlir::Value pointer, mlir::Type element,
                             mlir::Value offset);

private:
  std::string comment();
  bool comments;
};

} // namespace ashlar

#endif
