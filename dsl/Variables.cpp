// Handles and variables: what they are worth in the body being traced, and
// where they may be used.

#include "Describe.h"
#include "Trace.h"

namespace ashlar::detail {

namespace {

std::string nameOf(HandleKind kind) {
  switch (kind) {
  case HandleKind::index:
    return "index";
  case HandleKind::scalar:
    return "scalar";
  case HandleKind::condition:
    return "condition";
  case HandleKind::fragment:
    return "fragment";
  case HandleKind::mask:
    return "mask";
  case HandleKind::tensor:
    return "tensor";
  case HandleKind::pipeline:
    return "pipeline";
  case HandleKind::stage:
    return "stage";
  case HandleKind::sharedTile:
    return "shared tile";
  case HandleKind::barrier:
    return "barrier";
  case HandleKind::schedule:
    return "tile loop";
  }
  return "value";
}

std::string nameOf(FrameKind kind) {
  switch (kind) {
  case FrameKind::kernel:
    return "kernel";
  case FrameKind::role:
    return "role";
  case FrameKind::loop:
    return "loop";
  case FrameKind::branch:
    return "branch";
  }
  return "body";
}

/// What to do about a handle that is used outside its body.
std::string remedy(HandleKind handle, FrameKind body) {
  if (handle == HandleKind::stage || handle == HandleKind::sharedTile)
    return "acquire or wait for a stage where you use it";
  if (body != FrameKind::role)
    return "declare it before the " + nameOf(body) + " and assign it inside";
  return handle == HandleKind::fragment || handle == HandleKind::mask
             ? "pass it through shared memory"
             : "compute it before the role";
}

/// Whether an assignment can change what the handle stands for.
bool isVariable(HandleKind kind) { return kind <= HandleKind::stage; }

} // namespace

Handle Trace::declareHandle(HandleKind kind, mlir::Value value,
                            SourceLocation where) {
  where = ofAuthor(where);
  Handle handle(kind, where);
  handle.kernel = serial;
  handle.cell = cells.size();
  cells.push_back({kind, top().number, value, where});
  return handle;
}

size_t Trace::depthOf(const Handle &handle, SourceLocation where) const {
  std::string subject =
      nameOf(handle.kind) + " declared at " + lineOf(handle.declared);
  if (handle.kernel == 0)
    fail(where, subject + " stands outside the kernel; declare it inside");
  if (handle.kernel != serial)
    fail(where, subject +
                    " belongs to another kernel; handles can be used only "
                    "in the kernel that made them, while it is built");
  uint32_t number = cells[handle.cell].frame;
  for (size_t depth = frames.size(); depth-- > 0;)
    if (frames[depth].number == number)
      return depth;
  const FrameRecord &frame = records[number];
  std::string body = nameOf(frame.kind);
  fail(where, subject + " is used outside its " + body + " (at " +
                  lineOf(frame.opened) + "); " +
                  remedy(handle.kind, frame.kind));
}

mlir::Value Trace::read(const Handle &handle, SourceLocation where) {
  depthOf(handle, where);
  return lookup(handle.cell, frames.size() - 1);
}

mlir::Value Trace::read(const Index &index, SourceLocation where) {
  if (static_cast<const Handle &>(index).kernel == 0)
    return constantIndex(index.constant, where);
  return read(static_cast<const Handle &>(index), where);
}

mlir::Value Trace::read(const IndexOperand &operand) {
  return operand.index ? read(*operand.index, operand.where)
                       : constantIndex(operand.constant, operand.where);
}

mlir::Value Trace::lookup(uint32_t cell, size_t depth) {
  Frame &frame = frames[depth];
  if (cells[cell].frame == frame.number)
    return cells[cell].value;
  if (auto known = frame.values.find(cell); known != frame.values.end())
    return known->second;
  mlir::Value outside = lookup(cell, depth - 1);
  if (frame.kind != FrameKind::loop || !isVariable(cells[cell].kind))
    return outside;
  mlir::Value argument = frame.block->addArgument(
      outside.getType(), location(cells[cell].declared));
  frame.carried.push_back(cell);
  frame.values[cell] = argument;
  return argument;
}

mlir::Type Trace::typeOf(uint32_t cell, size_t depth) const {
  for (;; --depth) {
    const Frame &frame = frames[depth];
    if (cells[cell].frame == frame.number)
      return cells[cell].value.getType();
    if (auto known = frame.values.find(cell); known != frame.values.end())
      return known->second.getType();
  }
}

void Trace::record(uint32_t cell, mlir::Value value) {
  if (cells[cell].frame == top().number)
    cells[cell].value = value;
  else
    top().values[cell] = value;
}

void Trace::assign(const Handle &variable, mlir::Value value,
                   SourceLocation where) {
  size_t depth = depthOf(variable, where);
  std::string subject =
      nameOf(variable.kind) + " declared at " + lineOf(variable.declared);
  for (size_t inner = depth + 1; inner < frames.size(); ++inner)
    if (frames[inner].kind == FrameKind::role)
      fail(where, subject + " is assigned in the role at " +
                      lineOf(frames[inner].opened) +
                      "; roles run at the same time and share no variables: "
                      "declare it in the role");
  mlir::Type type = typeOf(variable.cell, frames.size() - 1);
  if (depth + 1 != frames.size() && type != value.getType())
    fail(where, subject + " is " + describe(type) + " and is assigned " +
                    describe(value.getType()) + " in the " +
                    nameOf(top().kind) + " at " + lineOf(top().opened) +
                    "; a variable keeps its type there: declare another one");
  record(variable.cell, value);
}

void Trace::copyVariable(Handle &target, const Handle &source,
                         SourceLocation where) {
  Trace &trace = Trace::checked(where);
  target = trace.declareHandle(source.kind, trace.read(source, where), where);
}

void Trace::copyIndex(Index &target, const Index &source,
                      SourceLocation where) {
  if (static_cast<const Handle &>(source).kernel != 0)
    copyVariable(target, source, where);
}

void Trace::assignVariable(Handle &target, const Handle &source) {
  Trace *trace = Trace::active();
  SourceLocation where = trace ? trace->lastLocation() : source.declared;
  Trace &current = Trace::checked(where);
  current.assign(target, current.read(source, where), where);
}

void Trace::assignIndex(Index &target, const Index &source) {
  Handle &variable = target;
  const Handle &value = source;
  if (variable.kernel == 0 && value.kernel == 0) {
    target.constant = source.constant;
    return;
  }
  SourceLocation where = active() ? active()->lastLocation() : value.declared;
  Trace &trace = Trace::checked(where);
  trace.assign(variable, trace.read(source, where), where);
}

void Trace::makeIndex(Index &target, SourceLocation where) {
  if (!active())
    return;
  Trace &trace = Trace::checked(where);
  static_cast<Handle &>(target) = trace.declareHandle(
      HandleKind::index, trace.constantIndex(target.constant, where), where);
}

Variable::Variable(const Variable &other, SourceLocation where)
    : Handle(other) {
  Trace::copyVariable(*this, other, where);
}

Variable &Variable::operator=(const Variable &other) {
  if (this != &other)
    Trace::assignVariable(*this, other);
  return *this;
}

} // namespace ashlar::detail
