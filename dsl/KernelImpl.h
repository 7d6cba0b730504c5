// What a Kernel holds.
#pragma once

#include "ashlar/kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace ashlar {

struct Kernel::Impl {
  std::string name;
  SourceLine where;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Error> error;

  /// The program. Throws the mistake, if there was one.
  mlir::ModuleOp program() const;
  /// What a message is to end with at a line of another file than the kernel's,
  /// as a library's is: whose kernel it is about.
  std::string ofWhom(const SourceLine &line) const;
  Error ofWhom(const Error &error) const;
};

} // namespace ashlar
