#include "test/fuzz/LowerIr.h"

#include "compiler/driver/Driver.h"
#include "compiler/hopper/Hopper.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "passes/Passes.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ashlar::fuzz {
namespace {

using namespace mlir;

CompileOptions allChecks() {
  CompileOptions options;
  options.check_expectations = options.check_indices = true;
  return options;
}

/// Whether a text was parsed, and lowered from one of the starts of its level.
bool runPasses(const std::string &text, Level level, int start) {
  DialectRegistry registry;
  compiler::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  PassManager passes(&context);
  if (level == Level::tile) {
    auto &kernel = passes.nest<tile::KernelOp>();
    if (start == 0)
      compiler::buildTilePlan(passes, allChecks());
    if (start == 1)
      kernel.addPass(createTileVerifyProtocol());
    if (start == 2)
      kernel.addPass(createTileAssignLayouts());
    if (start == 3)
      kernel.addPass(createTilePlanMemory());
    // Of the passes that expand the level: all, the last two or none.
    if (start == 5) {
      kernel.addPass(createTileOrderAccesses());
      kernel.addPass(createTilePlaceStages());
    }
    if (start < 5)
      compiler::buildTileToHopper(passes);
    else
      passes.addPass(createTileToHopper());
  }
  if (level == Level::hopper && start == 1)
    passes.addPass(createHopperToThread());
  else if (level != Level::thread)
    compiler::buildHopperToThread(passes, /*comments=*/true);
  compiler::buildThreadToLlvm(passes, /*sourceLines=*/false);
  return succeeded(passes.run(*module));
}

/// The last line of a log that says more than where, without its numbers: they
/// differ from run to run.
std::string lastWords(const std::string &log) {
  std::ifstream in(log);
  std::string line, words;
  while (std::getline(in, line))
    if (line.find("ssert") != std::string::npos ||
        line.find("what()") != std::string::npos ||
        line.find("ERROR") != std::string::npos ||
        line.find("UNREACHABLE") != std::string::npos)
      words = line;
  std::erase_if(words, [](unsigned char c) { return std::isdigit(c); });
  return words;
}

} // namespace

Outcome lower(const std::string &text, Level level, int start,
              const std::string &log, unsigned seconds) {
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(file, STDERR_FILENO);
    alarm(seconds);
    _exit(runPasses(text, level, start) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome;
  outcome.isLowered = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!WIFEXITED(status))
    outcome.fault =
        std::string(strsignal(WTERMSIG(status))) + " " + lastWords(log);
  else if (WEXITSTATUS(status) > 1)
    outcome.fault = "exit " + std::to_string(WEXITSTATUS(status));
  return outcome;
}

std::string nextLevelOf(const std::string &text, Level level) {
  DialectRegistry registry;
  compiler::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  if (level == Level::tile) {
    compiler::buildTilePlan(passes, allChecks());
    compiler::buildTileToHopper(passes);
  } else {
    compiler::buildHopperToThread(passes, /*comments=*/true);
  }
  if (!module || failed(passes.run(*module)))
    return "";
  std::string lowered;
  llvm::raw_string_ostream out(lowered);
  module->print(out);
  return lowered;
}

} // namespace ashlar::fuzz
