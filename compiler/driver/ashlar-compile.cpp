// Compiles a tile kernel from a text file: to PTX on the standard output, or to
// an artifact that the runtime loads.

#include "compiler/driver/Driver.h"
#include "mlir/Parser/Parser.h"
#include "runtime/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>

namespace {

llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::Required,
                                 llvm::cl::desc("<kernel.mlir>"));
llvm::cl::opt<std::string> save("save", llvm::cl::desc("write the artifact"),
                                llvm::cl::value_desc("file"));
llvm::cl::opt<std::string> emit("emit", llvm::cl::init("ptx"),
                                llvm::cl::desc("level to print"),
                                llvm::cl::value_desc("level"));
llvm::cl::opt<bool> resources("resources",
                              llvm::cl::desc("print resources and times"));

void checkEmit() {
  constexpr llvm::StringLiteral levels[] = {"tile", "hopper", "thread", "llvm",
                                            "ptx"};
  if (!llvm::is_contained(levels, emit.getValue()))
    throw ashlar::Error("there is no level '" + emit +
                        "' to print: --emit is tile, hopper, thread, llvm or "
                        "ptx");
}

int run() {
  checkEmit();
  mlir::DialectRegistry registry;
  ashlar::compiler::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(input, &context);
  if (!module)
    return 1;
  ashlar::CompileOptions options;
  options.assemble = resources || !save.empty();
  options.keep_levels = save.empty() && !resources;
  ashlar::Compilation result = ashlar::compiler::compile(*module, options);
  for (const ashlar::Warning &warning : result.warnings)
    llvm::errs() << warning.where.str() << ": warning: " << warning.message
                 << "\n";
  if (!save.empty())
    ashlar::save(result.artifact, save.getValue());
  if (resources) {
    const ashlar::Resources &used = result.artifact.resources;
    std::printf("%d registers, %d bytes of spill stores, %d of spill loads\n",
                used.registers, used.spillStoreBytes, used.spillLoadBytes);
    for (const ashlar::StepTime &step : result.times)
      std::printf("%s: %g ms\n", step.step.c_str(), step.milliseconds);
  }
  for (const ashlar::LevelText &level : result.levels)
    if (level.level == emit)
      std::fwrite(level.text.data(), 1, level.text.size(), stdout);
  if (std::string whyNot = ashlar::finishStandardOutput(); !whyNot.empty())
    throw ashlar::Error("the standard output can't be written: " + whyNot);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A file that grows beyond `ulimit -f` is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  llvm::cl::ParseCommandLineOptions(argc, argv, "Ashlar: tile IR to PTX\n");
  try {
    return run();
  } catch (const ashlar::Error &error) {
    llvm::errs() << (error.where() ? "" : "error: ") << error.what() << "\n";
    return 1;
  }
}
