// Runs any pass on any level from a text file, and prints what it made.

#include "compiler/driver/Driver.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "runtime/Files.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <span>

namespace {

/// Why the text is not where it should be, or "". MLIR's own writing aborts on
/// a full disk, and replaces what is there before it knows of one.
std::string write(const std::string &text, const std::string &path) {
  if (path != "-")
    return ashlar::writeFileAtomically(path, std::as_bytes(std::span(text)));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ashlar::finishStandardOutput();
}

int fail(const std::string &sentence) {
  llvm::errs() << "error: " << sentence << "\n";
  return EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // A file that grows beyond `ulimit -f` is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  mlir::DialectRegistry registry;
  ashlar::compiler::registerDialects(registry);
  ashlar::compiler::registerPasses();
  const auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Ashlar: passes on tile, hopper and thread\n", registry);
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // These take no text.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, "-", registry));
  std::string error;
  auto file = mlir::openInputFile(input, &error);
  if (!file)
    return fail(error);
  std::string text;
  llvm::raw_string_ostream out(text);
  const bool isRight = mlir::succeeded(
      mlir::MlirOptMain(out, std::move(file), registry, config));
  // Of several parts some may be right.
  if (isRight || output == "-")
    if (std::string whyNot = write(text, output); !whyNot.empty())
      return fail("'" + output + "' can't be written: " + whyNot);
  return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}
