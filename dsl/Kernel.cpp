#include "KernelImpl.h"
#include "Trace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <cctype>

namespace ashlar {

using namespace detail;

namespace {

void checkName(const std::string &name, SourceLocation where) {
  bool valid =
      !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  for (unsigned char character : name)
    valid &= std::isalnum(character) || character == '_';
  if (!valid)
    fail(where, "the kernel's name '" + name +
                    "' is not an identifier; use letters, digits and _");
}

/// "'tile.mma' op has K = 24" is "the mma has K = 24" to the author.
std::string withoutDialect(const std::string &message) {
  llvm::StringRef text = message;
  if (!text.consume_front("'tile."))
    return message;
  auto [name, rest] = text.split("' op ");
  return ("the " + name + " " + rest).str();
}

/// Throws the first complaint of the verifier, at the author's line.
void verify(mlir::ModuleOp module) {
  std::optional<Error> first;
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (first ||
            diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return;
        auto at =
            diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>();
        first.emplace(at ? SourceLine{at.getFilename().str(), at.getLine(),
                                      at.getColumn()}
                         : SourceLine{},
                      withoutDialect(diagnostic.str()));
      });
  if (mlir::failed(mlir::verify(module)))
    throw first ? *first : Error("the kernel does not verify");
}

void trace(Kernel::Impl &impl, const Body<> &body, SourceLocation where) {
  checkName(impl.name, where);
  impl.context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect,
                           mlir::math::MathDialect, mlir::scf::SCFDialect>();
  auto location = mlir::FileLineColLoc::get(&impl.context, where.file_name(),
                                            where.line(), where.column());
  impl.module = mlir::ModuleOp::create(location);
  Trace trace(impl.context, *impl.module, impl.name, where);
  body();
  trace.checkLoops();
  verify(*impl.module);
}

} // namespace

Kernel kernel(std::string_view name, Body<> body, SourceLocation where) {
  auto impl = std::make_shared<Kernel::Impl>();
  impl->name = name;
  impl->where = {where.file_name(), where.line(), where.column()};
  // The outer one's mistake.
  if (Trace::active())
    fail(where, "kernel '" + impl->name +
                    "' is defined inside another kernel; define it outside");
  try {
    trace(*impl, body, where);
  } catch (const Error &error) {
    impl->error = impl->ofWhom(error);
    impl->module = nullptr;
  }
  return Kernel(impl);
}

const std::string &Kernel::name() const { return impl->name; }

const std::optional<Error> &Kernel::error() const { return impl->error; }

mlir::ModuleOp Kernel::Impl::program() const {
  if (error)
    throw *error;
  return module.get();
}

std::string Kernel::Impl::ofWhom(const SourceLine &line) const {
  return line.file.empty() || line.file == where.file
             ? std::string()
             : ", in kernel '" + name + "' of " + where.str();
}

Error Kernel::Impl::ofWhom(const Error &error) const {
  if (!error.where())
    return error;
  return {*error.where(),
          std::string(error.message()) + ofWhom(*error.where())};
}

std::string Kernel::tile_ir(bool debug_locations) const {
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(debug_locations).useLocalScope();
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl->program().print(stream, flags);
  return text;
}

} // namespace ashlar
