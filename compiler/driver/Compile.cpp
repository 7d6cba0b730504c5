#include "compiler/driver/Assemble.h"
#include "compiler/driver/Contract.h"
#include "compiler/driver/DebugNotes.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/EmitPtx.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>

namespace ashlar::compiler {

using namespace mlir;

namespace {

class Driver {
public:
  Driver(ModuleOp module, const CompileOptions &options)
      : module(module), options(options) {
    // Nobody reads it here, and to print an operation names all of the kernel's
    // values.
    module.getContext()->printOpOnDiagnostic(false);
  }

  Compilation run() {
    keepLevel("tile");
    tile::KernelOp kernel = onlyKernel();
    step("tile", [&] {
      lower([&](PassManager &passes) { buildTilePlan(passes, options); });
      readContract(kernel, result.artifact);
      notes = debugNotes(kernel);
      lower(buildTileToHopper);
      for (auto lowered : module.getOps<hopper::KernelOp>())
        readParameters(lowered, result.artifact);
      notes += tensorNotes(result.artifact);
    });
    keepLevel("hopper");
    step("hopper", [&] {
      lower([&](PassManager &passes) {
        buildHopperToThread(passes, options.source_lines);
      });
    });
    keepLevel("thread");
    step("thread", [&] {
      lower([&](PassManager &passes) {
        buildThreadToLlvm(passes, options.source_lines);
      });
    });
    checkPrinted();
    step("ptx", [&] {
      PtxText text = emitPtx(module, options.keep_levels);
      result.artifact.ptx = notes + text.ptx;
      if (options.keep_levels) {
        result.levels.push_back({"llvm", std::move(text.llvm)});
        result.levels.push_back({"ptx", result.artifact.ptx});
      }
    });
    if (options.assemble)
      step("cubin", [&] { assemble(result.artifact, result.warnings); });
    // A check that fails is a call: whoever asked for checks knows.
    if (options.check_expectations || options.check_indices)
      llvm::erase_if(result.warnings, [](const Warning &warning) {
        return warning.message.find("function call") != std::string::npos;
      });
    return std::move(result);
  }

private:
  tile::KernelOp onlyKernel();
  void checkPrinted() const;

  template <typename Body> void step(const char *name, Body body) {
    auto start = std::chrono::steady_clock::now();
    body();
    std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - start;
    result.times.push_back({name, elapsed.count()});
  }

  void keepLevel(const char *name) {
    if (!options.keep_levels)
      return;
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out, OpPrintingFlags().enableDebugInfo(false));
    result.levels.push_back({name, std::move(text)});
  }

  template <typename Build> void lower(Build build) {
    std::string message;
    SourceLine where;
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Remark) {
            result.notes.push_back(
                {sourceLine(diagnostic.getLocation()), diagnostic.str()});
            return success();
          }
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
            return failure();
          if (message.empty()) {
            message = diagnostic.str();
            where = sourceLine(diagnostic.getLocation());
          }
          return success();
        });
    PassManager passes(module.getContext());
    passes.enableVerifier(options.verify_each);
    build(passes);
    llvm::raw_string_ostream names(pipeline);
    passes.printAsTextualPipeline(names);
    names << ",";
    if (!options.print_after.empty())
      passes.enableIRPrinting(
          [](Pass *, Operation *) { return false; },
          [&](Pass *pass, Operation *) {
            return llvm::is_contained(options.print_after, pass->getArgument());
          },
          /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
    if (failed(passes.run(module)))
      throw Error(where,
                  message.empty() ? "a pass failed without a reason" : message);
  }

  ModuleOp module;
  const CompileOptions &options;
  std::string notes;
  std::string pipeline; ///< of all that has run
  Compilation result;
};

/// Throws where the author names a pass to print after that is none.
void Driver::checkPrinted() const {
  SmallVector<StringRef> names;
  llvm::SplitString(pipeline, names, "(),{} ");
  for (const std::string &name : options.print_after)
    // With a dot it is what a pass runs on.
    if (StringRef(name).contains('.') || !llvm::is_contained(names, name))
      throw Error("there is no pass '" + name +
                  "' to print after: docs/passes.md lists them");
}

tile::KernelOp Driver::onlyKernel() {
  SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
  if (kernels.size() != 1)
    throw Error("a compilation takes one kernel; this module has " +
                std::to_string(kernels.size()));
  return kernels.front();
}

} // namespace

Compilation compile(ModuleOp module, const CompileOptions &options) {
  return Driver(module, options).run();
}

} // namespace ashlar::compiler
