#include "Trace.h"

#include <atomic>

namespace ashlar::detail {

namespace {

thread_local Trace *activeTrace = nullptr;

uint32_t newSerial() {
  static std::atomic<uint32_t> counter = 0;
  return ++counter;
}

} // namespace

Trace::Trace(mlir::MLIRContext &context, mlir::ModuleOp module,
             const std::string &name, SourceLocation where)
    : serial(newSerial()), builder(&context), last(where) {
  builder.setInsertionPointToEnd(module.getBody());
  kernelOp = declareOp<tile::KernelOp>(
      where, {}, builder.getNamedAttr("sym_name", builder.getStringAttr(name)));
  push(FrameKind::kernel, where, &kernelOp.getRegion().emplaceBlock());
  activeTrace = this;
}

Trace::~Trace() {
  activeTrace = nullptr;
  // A body that an Error left open is in no operation; nothing outside it uses
  // its values, but it uses values of the bodies around it.
  for (Frame &frame : frames)
    if (frame.detached) {
      frame.detached->dropAllReferences();
      frame.detached->dropAllDefinedValueUses();
    }
}

Trace *Trace::active() { return activeTrace; }

Trace &Trace::current(SourceLocation where) {
  Trace &trace = checked(where);
  trace.last = ofAuthor(where);
  return trace;
}

Trace &Trace::checked(SourceLocation where) {
  if (!activeTrace)
    fail(where, "this call stands outside a kernel: the calls of the language "
                "build the kernel whose body runs; move it into kernel(name, "
                "[&] { ... })");
  activeTrace->checkLoops();
  return *activeTrace;
}

void Trace::checkLoops() const {
  if (abandoned)
    throw Error(*abandoned);
}

SourceLocation Trace::ofAuthor(SourceLocation where) {
  const bool isOfLibrary =
      std::string_view(where.file_name()).find("/include/c++/") !=
      std::string_view::npos;
  return isOfLibrary && activeTrace ? activeTrace->last : where;
}

mlir::Location Trace::location(SourceLocation where) {
  where = ofAuthor(where);
  return mlir::FileLineColLoc::get(builder.getContext(), where.file_name(),
                                   where.line(), where.column());
}

mlir::Value Trace::fold(mlir::Operation *op, SourceLocation where) {
  llvm::SmallVector<mlir::OpFoldResult, 1> results;
  if (mlir::failed(op->fold(results)) || results.empty())
    return op->getResult(0);
  mlir::Value folded;
  if (auto attribute = llvm::dyn_cast<mlir::Attribute>(results.front())) {
    auto typed = llvm::dyn_cast<mlir::TypedAttr>(attribute);
    if (!typed || llvm::isa<mlir::ShapedType>(typed.getType()))
      return op->getResult(0);
    folded = constant(typed, where);
  } else {
    folded = llvm::cast<mlir::Value>(results.front());
  }
  op->erase();
  return folded;
}

void Trace::requireKernelFrame(const std::string &what, SourceLocation where) {
  if (top().kind != FrameKind::kernel)
    fail(where, what + " stands inside a role, loop or branch; it belongs "
                       "directly in the kernel");
}

void Trace::requireLoopFrame(const std::string &what, SourceLocation where) {
  if (top().kind != FrameKind::loop)
    fail(where, what +
                    " stands in no loop's own body; compute the condition "
                    "where you like, and say " +
                    what + " directly in the range that is to end");
}

void Trace::takeName(const std::string &what, llvm::StringRef name,
                     SourceLocation where) {
  if (name.empty())
    fail(where, what + " has no name; give it one");
  if (llvm::any_of(name, [](unsigned char c) { return c < ' '; }))
    fail(where, "a name has control characters; leave them out");
  auto [entry, inserted] = names.try_emplace(name, where);
  if (!inserted)
    fail(where, what + ": the name '" + name.str() + "' is already taken at " +
                    lineOf(entry->second) + "; give each its own name");
}

} // namespace ashlar::detail
