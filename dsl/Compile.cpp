#include "ashlar/compile.h"
#include "KernelImpl.h"
#include "compiler/driver/Driver.h"

namespace ashlar {

Compilation compile(const Kernel &kernel, const CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> program =
      kernel.implementation()->program().clone();
  mlir::DialectRegistry levels;
  compiler::registerDialects(levels);
  program->getContext()->appendDialectRegistry(levels);
  return compiler::compile(*program, options);
}

} // namespace ashlar
