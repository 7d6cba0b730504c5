// What a Kernel holds.
#pragma once

#include "ashlar/kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace ashlar {

struct Kernel::Impl {
  std::string name;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Error> error;

  /// The program. Throws the mistake, if there was one.
  mlir::ModuleOp program() const;
};

} // namespace ashlar
