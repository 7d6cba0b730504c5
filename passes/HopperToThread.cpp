// hopper-to-thread: fragments are registers, warps are branches; what is left
// is one thread's program in LLVM's dialect with inline PTX, and scf.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/Passes.h"
#include "passes/Preconditions.h"
#include "passes/hopper_to_thread/Function.h"
#include "passes/hopper_to_thread/Lowering.h"
#include "passes/hopper_to_thread/Roles.h"

namespace ashlar {

#define GEN_PASS_DEF_HOPPERTOTHREAD
#include "passes/Passes.h.inc"

using namespace mlir;

namespace {

LogicalResult demandKnown(hopper::KernelOp kernel) {
  WalkResult walked = kernel.walk([&](Operation *op) -> WalkResult {
    const bool isValue =
        isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
        op->getNumResults() == 1;
    if (isValue || isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op) ||
        (isa<hopper::HopperDialect>(op->getDialect()) &&
         !isa<hopper::MmaOp>(op)))
      return success();
    return op->emitError("operation '")
           << op->getName() << "' cannot be lowered to a thread's program";
  });
  return failure(walked.wasInterrupted());
}

/// What a thread holds of a value.
struct ThreadTypes : TypeConverter {
  ThreadTypes() {
    addConversion([](Type type) { return type; });
    addConversion([](IndexType type) -> Type {
      return IntegerType::get(type.getContext(), 32);
    });
    addConversion([](tile::SharedType type) -> Type {
      return IntegerType::get(type.getContext(), 32);
    });
    addConversion([](hopper::PointerType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext(), 1);
    });
    addConversion([](hopper::TensorMapType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    addConversion([](hopper::AccumulatorType, SmallVectorImpl<Type> &) {
      return success(); // registers with names, no values
    });
    addConversion([](RankedTensorType type, SmallVectorImpl<Type> &registers) {
      const FragmentType fragment(type);
      registers.append(fragment.registers(), fragment.registerType);
      return success();
    });
  }
};

/// What is known of rows that are loaded to be shifted leaves the loop over
/// their tiles, but for many: it takes registers.
void hoistAddresses(LLVM::LLVMFuncOp function) {
  constexpr int64_t mostLoads = 24;
  function.walk([](scf::ForOp loop) {
    int64_t loads = 0;
    loop.walk([&](LLVM::InlineAsmOp op) {
      loads += op.getAsmString().contains("//@ around");
    });
    if (loads > 0 && loads <= mostLoads)
      moveLoopInvariantCode(loop);
  });
}

LogicalResult lowerKernel(hopper::KernelOp kernel, bool comments) {
  if (failed(demandLayouts(kernel)) || failed(demandKnown(kernel)))
    return failure();
  rescaleInPlace(kernel);
  RolePrograms roles(kernel);
  ThreadContext context;
  context.comments = comments;
  LLVM::LLVMFuncOp function = createFunction(kernel, context);
  Block &body = function.getBody().front();
  Operation *begin = &body.back();
  body.getOperations().splice(body.end(),
                              kernel.getBody().front().getOperations());

  // What patterns write is a thread's program, and not lowered again.
  llvm::SmallPtrSet<Operation *, 32> program;
  for (Operation *op = begin->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      if (!isa<hopper::RoleOp>(inner))
        program.insert(inner);
    });
  ConversionTarget target(*kernel.getContext());
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !program.contains(op); });
  const ThreadTypes types;
  ThreadPatterns patterns(context, types, kernel.getContext());
  addAccumulators(patterns);
  addBarriers(patterns);
  addControlFlow(patterns);
  addConversions(patterns);
  addCopies(patterns);
  addDoors(patterns);
  addElements(patterns);
  addElementwise(patterns);
  addExchange(patterns);
  addGlobalElements(patterns);
  addGlobalMemory(patterns);
  addPlaces(patterns);
  addReductions(patterns);
  addRelays(patterns);
  addScans(patterns);
  addSharedMemory(patterns);
  addTakes(patterns);
  addWgmma(patterns);
  target.addLegalOp<hopper::LastIfOp>();
  ConversionConfig config;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(
          applyPartialConversion(function, target, patterns.take(), config)) ||
      context.refused)
    return failure();

  endLoopsEarly(function);
  hoistAddresses(function);

  PtxBuilder b(OpBuilder(kernel), kernel.getLoc(), comments);
  auto first = llvm::find_if(body, llvm::IsaPred<hopper::RoleOp>);
  if (first != body.end()) {
    b.setInsertionPoint(&*first);
    roles.write(b, context.warp);
  }
  b.setInsertionPointToEnd(&body);
  b.loc = kernel.getLoc();
  LLVM::ReturnOp::create(b, b.loc, ValueRange());
  kernel.erase();
  return success();
}

struct HopperToThread : impl::HopperToThreadBase<HopperToThread> {
  using HopperToThreadBase::HopperToThreadBase;

  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<hopper::KernelOp>());
    for (hopper::KernelOp kernel : kernels)
      if (failed(lowerKernel(kernel, comments)))
        return signalPassFailure();
  }
};

} // namespace

void replaceBy(Operation *op, FailureOr<Registers> registers,
               const TypeConverter &types, ThreadBuilder &b) {
  if (op->getNumResults() == 0) {
    b.context.refused |= failed(registers);
    return b.rewriter.eraseOp(op);
  }
  if (failed(registers)) {
    b.context.refused = true;
    SmallVector<Type> needed;
    (void)types.convertType(op->getResult(0).getType(), needed);
    registers = Registers();
    for (Type type : needed)
      registers->push_back(LLVM::UndefOp::create(b, b.loc, type));
  }
  b.rewriter.replaceOpWithMultiple(op, {ValueRange(*registers)});
}

} // namespace ashlar
