// thread-to-llvm: loops and branches are jumps, arithmetic is LLVM's; nothing
// but its dialect is left.

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Passes.h"

namespace ashlar {

#define GEN_PASS_DEF_THREADTOLLVM
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

/// A division by what may be zero stays where the author's program has it: the
/// back end moves its own out of loops and from under conditions, to where the
/// divisor is zero and the simulator tells so.
template <typename Op> struct DivisionLowering : OpConversionPattern<Op> {
  DivisionLowering(const TypeConverter &types, MLIRContext *context,
                   StringRef instruction)
      : OpConversionPattern<Op>(types, context, /*benefit=*/10),
        instruction(instruction) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    const Type type = adaptor.getRhs().getType();
    const bool is64 = type.isInteger(64);
    const bool isKnown = matchPattern(op.getRhs(), m_Constant()) &&
                         !matchPattern(op.getRhs(), m_Zero());
    if (isKnown || (!is64 && !type.isInteger(32)))
      return failure();
    const std::string text =
        (instruction + (is64 ? "64" : "32") + " $0, $1, $2;").str();
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, type, adaptor.getOperands(), text, is64 ? "=l,l,l" : "=r,r,r",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::tailcallkind::TailCallKind::None,
        LLVM::AsmDialectAttr::get(op.getContext(), LLVM::AsmDialect::AD_ATT),
        ArrayAttr());
    return success();
  }

  const StringRef instruction;
};

struct ThreadToLlvm : impl::ThreadToLlvmBase<ThreadToLlvm> {
  void runOnOperation() override {
    if (failed(flatten()) || failed(translate()))
      signalPassFailure();
  }

private:
  /// What becomes several operations, by itself: a pattern whose operations
  /// could not be converted in their turn would have to be taken back.
  LogicalResult flatten() {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    ConversionTarget target(getContext());
    target.addIllegalDialect<scf::SCFDialect>();
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    return convert(target, std::move(patterns));
  }

  LogicalResult translate() {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(32);
    LLVMTypeConverter types(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    patterns.add<DivisionLowering<arith::DivSIOp>>(types, &getContext(),
                                                   "div.s");
    patterns.add<DivisionLowering<arith::DivUIOp>>(types, &getContext(),
                                                   "div.u");
    patterns.add<DivisionLowering<arith::RemSIOp>>(types, &getContext(),
                                                   "rem.s");
    patterns.add<DivisionLowering<arith::RemUIOp>>(types, &getContext(),
                                                   "rem.u");
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    ConversionTarget target(getContext());
    target.addLegalDialect<LLVM::LLVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect>();
    return convert(target, std::move(patterns));
  }

  /// A program that cannot be converted is refused, so nothing need be kept to
  /// take a part of it back.
  LogicalResult convert(ConversionTarget &target, RewritePatternSet patterns) {
    ConversionConfig config;
    config.allowPatternRollback = false;
    return applyPartialConversion(getOperation(), target, std::move(patterns),
                                  config);
  }
};

} // namespace
} // namespace ashlar
