#include "ashlar/compile.h"
#include "KernelImpl.h"
#include "compiler/driver/Driver.h"

namespace ashlar {

Compilation compile(const Kernel &kernel, const CompileOptions &options) {
  mlir::OwningOpRef<mlir::ModuleOp> program =
      kernel.implementation()->program().clone();
  return compiler::compile(*program, options);
}

} // namespace ashlar
