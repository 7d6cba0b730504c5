// What the patterns of hopper-to-thread are made of: for each operation a
// function
//
//   FailureOr<Registers> lower(hopper::SomeOp op, Operands<hopper::SomeOp> in,
//                              ThreadBuilder &b);
//
// beside those of its subject. It writes the program of one thread in the
// operation's place, and gives the registers of its result, if it has one;
// where it refuses, the author has been told.
#ifndef ASHLAR_PASSES_HOPPERTOTHREAD_LOWERING_H
#define ASHLAR_PASSES_HOPPERTOTHREAD_LOWERING_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/hopper_to_thread/Fragments.h"
#include "passes/hopper_to_thread/ThreadBuilder.h"

namespace ashlar {

/// The registers of an operation's operands.
template <typename Op>
using Operands =
    typename Op::template GenericAdaptor<llvm::ArrayRef<mlir::ValueRange>>;

/// Of an operand that is one register.
inline mlir::Value one(mlir::ValueRange registers) { return registers.front(); }
inline llvm::SmallVector<mlir::Value>
ones(llvm::ArrayRef<mlir::ValueRange> operands) {
  return llvm::map_to_vector(operands, [](auto value) { return one(value); });
}

/// Puts the registers of a result in an operation's place; where there are none
/// because it was refused, undefined ones, so that the author is told of other
/// mistakes too.
void replaceBy(mlir::Operation *op, llvm::FailureOr<Registers> registers,
               const mlir::TypeConverter &types, ThreadBuilder &b);

/// The patterns of one kernel.
class ThreadPatterns {
public:
  ThreadPatterns(const ThreadContext &context, const mlir::TypeConverter &types,
                 mlir::MLIRContext *mlir)
      : context(context), types(types), set(mlir) {}

  template <typename... Ops> void add() {
    set.add<Pattern<Ops>...>(types, set.getContext(), context);
  }
  /// For what has no pattern of its own.
  template <typename AnyPattern> void addAny() {
    set.add<AnyPattern>(types, set.getContext(), context);
  }
  void addLoopsAndBranches();
  mlir::RewritePatternSet take() { return std::move(set); }

private:
  template <typename Op> struct Pattern : mlir::OpConversionPattern<Op> {
    Pattern(const mlir::TypeConverter &types, mlir::MLIRContext *mlir,
            const ThreadContext &context)
        : mlir::OpConversionPattern<Op>(types, mlir), context(context) {}

    llvm::LogicalResult
    matchAndRewrite(Op op, Operands<Op> in,
                    mlir::ConversionPatternRewriter &rewriter) const override {
      ThreadBuilder b(rewriter, op, context);
      replaceBy(op, lower(op, in, b), *this->getTypeConverter(), b);
      return llvm::success();
    }

    const ThreadContext &context;
  };

  const ThreadContext &context;
  const mlir::TypeConverter &types;
  mlir::RewritePatternSet set;
};

void addAccumulators(ThreadPatterns &patterns);
void addBarriers(ThreadPatterns &patterns);
void addControlFlow(ThreadPatterns &patterns);
void addConversions(ThreadPatterns &patterns);
void addCopies(ThreadPatterns &patterns);
void addDoors(ThreadPatterns &patterns);
void addElements(ThreadPatterns &patterns);
void addElementwise(ThreadPatterns &patterns);
void addExchange(ThreadPatterns &patterns);
void addGlobalElements(ThreadPatterns &patterns);
void addGlobalMemory(ThreadPatterns &patterns);
void addPlaces(ThreadPatterns &patterns);
void addReductions(ThreadPatterns &patterns);
void addRelays(ThreadPatterns &patterns);
void addScans(ThreadPatterns &patterns);
void addSharedMemory(ThreadPatterns &patterns);
void addTakes(ThreadPatterns &patterns);
void addWgmma(ThreadPatterns &patterns);

/// Makes loops with a `hopper.last_if` test it, when all else is lowered.
void endLoopsEarly(mlir::LLVM::LLVMFuncOp function);

/// Declares the registers of accumulators where the function begins: before all
/// uses in the text of the PTX too.
/// Sums that are rescaled where they are: `accumulator.rescale` in place of a
/// read, a product and a write. Waits and fences stand already.
void rescaleInPlace(hopper::KernelOp kernel);

void declareAccumulators(hopper::KernelOp kernel, PtxBuilder &b,
                         ThreadContext &context);

} // namespace ashlar

#endif
