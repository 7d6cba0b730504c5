#include "ashlar/compile.h"
#include "KernelImpl.h"
#include "compiler/driver/Driver.h"

namespace ashlar {

Compilation compile(const Kernel &kernel, const CompileOptions &options) {
  const Kernel::Impl &impl = *kernel.implementation();
  mlir::OwningOpRef<mlir::ModuleOp> program = impl.program().clone();
  mlir::DialectRegistry levels;
  compiler::registerDialects(levels);
  program->getContext()->appendDialectRegistry(levels);
  try {
    Compilation result = compiler::compile(*program, options);
    for (Warning &warning : result.warnings)
      warning.message += impl.ofWhom(warning.where);
    return result;
  } catch (const Error &error) {
    throw impl.ofWhom(error);
  }
}

} // namespace ashlar
