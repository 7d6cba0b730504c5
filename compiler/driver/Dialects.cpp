#include "compiler/driver/Driver.h"
#include "compiler/hopper/Hopper.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Passes.h"

namespace ashlar::compiler {

using namespace mlir;

void registerDialects(DialectRegistry &registry) {
  registry.insert<tile::TileDialect, hopper::HopperDialect, arith::ArithDialect,
                  math::MathDialect, scf::SCFDialect, cf::ControlFlowDialect,
                  LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void registerPasses() {
  registerAshlarPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSCFToControlFlowPass();
  mlir::registerArithToLLVMConversionPass();
  mlir::registerConvertControlFlowToLLVMPass();
  mlir::registerReconcileUnrealizedCastsPass();
  LLVM::registerDIScopeForLLVMFuncOpPass();
}

void buildTilePlan(OpPassManager &passes) {
  auto &kernel = passes.nest<tile::KernelOp>();
  // Every pipeline is filled and drained in order, or the program is refused.
  kernel.addPass(createTileVerifyProtocol());
  // What is loaded or computed is used.
  kernel.addPass(createTileDropUnused());
  // Every shared tile and fragment has its layout.
  kernel.addPass(createTileAssignLayouts());
  // Every buffer, barrier and role has its place; the budgets hold.
  kernel.addPass(createTilePlanMemory());
}

void buildTileToHopper(OpPassManager &passes) {
  // Pipelines are rings of mbarriers, copies TMA or cp.async, mma wgmma.
  passes.addPass(createTileToHopper());
}

void buildHopperToThread(OpPassManager &passes, bool comments) {
  auto &kernel = passes.nest<hopper::KernelOp>();
  // A loop that adds products up multiplies for the next iteration meanwhile.
  kernel.addPass(createHopperOverlapProducts());
  // Nobody writes the zeros that a loop's sums begin with.
  kernel.addPass(createHopperStartAccumulators());
  // What mma adds to are registers, no values; mma is wgmma.
  kernel.addPass(createHopperAssignAccumulators());
  // Groups of wgmma overlap; every release waits for the group that read it.
  kernel.addPass(createHopperScheduleWgmma());
  // Nothing that is in flight is touched.
  kernel.addPass(createHopperVerifyInFlight());
  // Every generic access that an asynchronous one follows is fenced.
  kernel.addPass(createHopperInsertFences());
  // Fragments are registers, roles are branches.
  HopperToThreadOptions options;
  options.comments = comments;
  passes.addPass(createHopperToThread(options));
}

void buildThreadToLlvm(OpPassManager &passes, bool sourceLines) {
  // What is left is converted, and translated, once.
  passes.addPass(createCSEPass());
  // Only LLVM's dialect is left.
  passes.addPass(createSCFToControlFlowPass());
  ArithToLLVMConversionPassOptions arith;
  arith.indexBitwidth = 32;
  passes.addPass(createArithToLLVMConversionPass(arith));
  ConvertControlFlowToLLVMPassOptions control;
  control.indexBitwidth = 32;
  passes.addPass(createConvertControlFlowToLLVMPass(control));
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (sourceLines) {
    // `.loc` lines, and the same machine code as without them.
    LLVM::DIScopeForLLVMFuncOpPassOptions options;
    options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  }
}

} // namespace ashlar::compiler
