#include "compiler/driver/EmitPtx.h"
#include "ashlar/error.h"
#include "compiler/driver/Contract.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace ashlar::compiler {

namespace {

/// The newest PTX that ptxas 13.0 and LLVM 22 have in common.
constexpr const char *features = "+ptx90";

const llvm::Target &nvptx() {
  static const llvm::Target *target = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(
        llvm::Triple("nvptx64-nvidia-cuda"), error);
  }();
  if (!target)
    throw Error("this LLVM has no NVPTX back end; install LLVM with NVPTX");
  return *target;
}

/// MLIR's inline assembly is not convergent, so LLVM may copy a barrier into
/// both arms of a divergent branch. Without side effects it may copy it.
void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      for (llvm::Instruction &instruction : block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          if (auto *assembly =
                  llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
              assembly && assembly->hasSideEffects())
            call->addFnAttr(llvm::Attribute::Convergent);
}

/// Of 16 bits, the least number is its own negative. ptxas (13.0) widens
/// `neg.s16` and `abs.s16` to 32 bits, where it is not; what is negated there
/// it narrows as it should.
void negateIn32Bits(llvm::Function &function) {
  using namespace llvm::PatternMatch;
  llvm::Type *i32 = llvm::Type::getInt32Ty(function.getContext());
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value *of = nullptr;
    if (!instruction.getType()->isIntegerTy(16))
      continue;
    const bool isNegative = match(&instruction, m_Neg(m_Value(of)));
    if (!isNegative &&
        !match(&instruction, m_Intrinsic<llvm::Intrinsic::abs>(m_Value(of))))
      continue;
    llvm::IRBuilder<> builder(&instruction);
    auto *text = llvm::InlineAsm::get(
        llvm::FunctionType::get(i32, i32, false),
        isNegative ? "neg.s32 $0, $1;" : "abs.s32 $0, $1;", "=r,r",
        /*hasSideEffects=*/false);
    llvm::Value *wide = builder.CreateCall(text, builder.CreateSExt(of, i32));
    instruction.replaceAllUsesWith(
        builder.CreateTrunc(wide, instruction.getType()));
    instruction.eraseFromParent();
  }
}

/// Lifts what an innermost loop need not repeat. What is lifted out of a loop
/// around another one, as that over tiles, would take a register in all of the
/// inner one to save an instruction for each tile.
struct LiftFromInnermost : llvm::PassInfoMixin<LiftFromInnermost> {
  llvm::PreservedAnalyses run(llvm::Loop &loop,
                              llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater) {
    if (!loop.isInnermost())
      return llvm::PreservedAnalyses::all();
    return lift.run(loop, analyses, results, updater);
  }
  llvm::LICMPass lift{llvm::LICMOptions()};
};

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  // Folds what the lowering wrote twice and lifts what a loop need not repeat.
  // Loops keep their shape: LLVM's own pipeline would peel and unroll them, and
  // takes three times as long for the same machine code.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager perLoop;
  perLoop.addPass(llvm::LoopRotatePass());
  perLoop.addPass(LiftFromInnermost());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(perLoop),
                                                       /*UseMemorySSA=*/true));
  // A second InstCombine here would cost as much again and leave wgmma's
  // descriptors an instruction or two longer to compute.
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      passes.run(function, functions);
      negateIn32Bits(function);
    }
}

/// The back end's passes but for some that rewrite address arithmetic, and
/// those that tidy up behind them. ptxas does that itself, and better on loops
/// left as they are: after loop strength reduction it unrolled those of an
/// epilogue until the code was three times as long, and a loop's initial
/// accumulators were set twice. It does not sink into branches what only they
/// use: without `machine-sink`, 4 % of a compilation, kernels that are short of
/// registers spill.
class LeanPassManager : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info =
        llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (info && llvm::is_contained({"loop-reduce", "canon-freeze", "slsr",
                                    "nary-reassociate", "early-cse"},
                                   info->getPassArgument()))
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
  }
};

/// Keeps the first error that LLVM reports.
struct FirstError : llvm::DiagnosticHandler {
  explicit FirstError(std::string &message) : message(message) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && message.empty()) {
      llvm::raw_string_ostream out(message);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
    }
    return true;
  }
  std::string &message;
};

/// Where a fatal error of LLVM on this thread says why, if anywhere.
thread_local std::string *fatalReason = nullptr;

void keepFatalReason(void *, const char *reason, bool) {
  if (fatalReason)
    *fatalReason = reason;
  else
    llvm::errs() << "LLVM ERROR: " << reason << "\n";
}

/// The author's line that a fatal error names ("Cannot select: ...,
/// gemm.cpp:33:7"), or else the kernel's.
SourceLine placeOf(const std::string &reason, mlir::ModuleOp module) {
  llvm::SmallVector<llvm::StringRef> match;
  SourceLine where;
  if (llvm::Regex(", ([^ ,:]+):([0-9]+):([0-9]+)").match(reason, &match)) {
    where.file = match[1].str();
    match[2].getAsInteger(10, where.line);
    match[3].getAsInteger(10, where.column);
    return where;
  }
  for (mlir::Operation &op : *module.getBody())
    if (where = sourceLine(op.getLoc()); where.line)
      return where;
  return where;
}

} // namespace

PtxText emitPtx(mlir::ModuleOp module, bool keepLlvm) {
  // The dialect that translates the kernel's `nvvm.` attributes.
  module->getContext()->getOrLoadDialect("nvvm");
  llvm::LLVMContext context;
  std::string error;
  context.setDiagnosticHandler(std::make_unique<FirstError>(error));
  PtxText text;

  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::unique_ptr<llvm::TargetMachine> machine(nvptx().createTargetMachine(
      triple, "sm_90a", features, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Default));
  std::optional<SourceLine> refused;
  std::unique_ptr<llvm::Module> llvmModule;
  {
    mlir::ScopedDiagnosticHandler handler(
        module.getContext(), [&](mlir::Diagnostic &diagnostic) {
          if (refused ||
              diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
            return;
          refused = sourceLine(diagnostic.getLocation());
          error = diagnostic.str();
        });
    llvmModule = mlir::translateModuleToLLVMIR(module, context, "kernel",
                                               /*disableVerification=*/true);
  }
  if (!llvmModule)
    throw Error(refused.value_or(SourceLine()),
                "the program cannot be translated to LLVM IR" +
                    (error.empty() ? "" : ": " + error));
  llvmModule->setTargetTriple(triple);
  llvmModule->setDataLayout(machine->createDataLayout());
  markConvergent(*llvmModule);
  if (keepLlvm) {
    llvm::raw_string_ostream out(text.llvm);
    llvmModule->print(out, nullptr);
  }
  llvm::raw_string_ostream verifier(error);
  if (llvm::verifyModule(*llvmModule, &verifier))
    throw Error("the program became invalid LLVM IR: " + error);

  llvm::SmallString<0> ptx;
  static const bool keepsReasons =
      (llvm::install_fatal_error_handler(keepFatalReason), true);
  (void)keepsReasons;
  std::string reason;
  fatalReason = &reason;
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  bool finished = recovery.RunSafely([&] {
    optimize(*llvmModule, *machine);
    llvm::raw_svector_ostream out(ptx);
    LeanPassManager codegen;
    machine->addPassesToEmitFile(codegen, out, nullptr,
                                 llvm::CodeGenFileType::AssemblyFile);
    codegen.run(*llvmModule);
  });
  fatalReason = nullptr;
  if (!finished) {
    // What the back end left behind cannot be destroyed safely.
    (void)llvmModule.release();
    (void)machine.release();
  }
  if (!finished || !error.empty())
    throw Error(placeOf(reason, module),
                "LLVM's back end for sm_90a failed" +
                    (error.empty() ? reason.empty() ? "" : ": " + reason
                                   : ": " + error));
  text.ptx = ptx.str();
  return text;
}

} // namespace ashlar::compiler
