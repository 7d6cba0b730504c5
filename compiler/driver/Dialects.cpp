#include "compiler/driver/Driver.h"
#include "compiler/hopper/Hopper.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassRegistry.h"
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

static void buildTileExpansion(OpPassManager &kernel);

void registerPasses() {
  registerAshlarPasses();
  PassPipelineRegistration<>(
      "tile-expand", "What tile-to-hopper needs behind tile-plan-memory",
      buildTileExpansion);
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  LLVM::registerDIScopeForLLVMFuncOpPass();
}

void buildTilePlan(OpPassManager &passes, const CompileOptions &checks) {
  auto &kernel = passes.nest<tile::KernelOp>();
  // Every pipeline is filled and drained in order, or the program is refused.
  kernel.addPass(createTileVerifyProtocol());
  // What is loaded or computed is used.
  TileDropUnusedOptions options;
  options.expectations = checks.check_expectations;
  kernel.addPass(createTileDropUnused(options));
  // Of inputs it is known whether an output can take their place.
  kernel.addPass(createTileFindReread());
  // What is accessed lies in its memory, or the launch ends.
  if (checks.check_expectations || checks.check_indices)
    kernel.addPass(createTileCheckBounds({.values = checks.check_expectations,
                                          .indices = checks.check_indices}));
  // Elements of four bits are pairs, which have a byte.
  kernel.addPass(createTilePairElements());
  // Every shared tile and fragment has its layout.
  kernel.addPass(createTileAssignLayouts());
  // Warps combine, and agree on, what they hold through shared memory.
  kernel.addPass(createTileExchange());
  // Every buffer, barrier and role has its place; the budgets hold.
  kernel.addPass(createTilePlanMemory());
}

static void buildTileExpansion(OpPassManager &kernel) {
  // Indices have 32 bits, or they are numbers of 64.
  kernel.addPass(createTileWidenIndices());
  // How many stages a role may hold is said where it takes one.
  kernel.addPass(createTileHoldStages());
  // A sum over a cluster is sends, waits and additions.
  kernel.addPass(createTileExpandClusterReductions());
  // Each instance of a role takes its own tiles, and their stages in turn.
  kernel.addPass(createTileShareTiles());
  // Tiles have coordinates by arithmetic.
  kernel.addPass(createTileExpandSchedules());
  // A role's threads and TMA access shared tiles in the program's order.
  kernel.addPass(createTileOrderAccesses());
  // A role meets itself in other CTAs at mbarriers.
  kernel.addPass(createTileExpandClusterSyncs());
  // A place in a ring is a stage's number and a parity.
  kernel.addPass(createTilePlaceStages());
}

void buildTileToHopper(OpPassManager &passes) {
  buildTileExpansion(passes.nest<tile::KernelOp>());
  // Pipelines are rings of mbarriers, copies TMA or cp.async.
  passes.addPass(createTileToHopper());
  auto &kernel = passes.nest<hopper::KernelOp>();
  // What one thread does one thing after another, branches and loops of loads
  // among it, it does at once.
  kernel.addPass(createHopperJoinOnce());
  // A role that loads computes before it waits.
  kernel.addPass(createHopperStartEarly());
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
  // What an arm writes to an accumulator is computed before the branch.
  kernel.addPass(createHopperPinWritten());
  // Fragments are registers, roles are branches.
  HopperToThreadOptions options;
  options.comments = comments;
  passes.addPass(createHopperToThread(options));
}

void buildThreadToLlvm(OpPassManager &passes, bool sourceLines) {
  // What is left is converted, and translated, once.
  passes.addPass(createCSEPass());
  // Only LLVM's dialect is left.
  passes.addPass(createThreadToLlvm());
  if (sourceLines) {
    // `.loc` lines, and the same machine code as without them.
    LLVM::DIScopeForLLVMFuncOpPassOptions options;
    options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  }
}

} // namespace ashlar::compiler
