// What leaves the language: the author's PTX, lines that are printed, and
// conditions that end a launch.

#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/hopper_to_thread/Lowering.h"
#include "llvm/Support/Path.h"

namespace ashlar {

using namespace mlir;

namespace {

/// The first thread of the role alone.
Value isFirstThread(ThreadBuilder &b) {
  return b.equal(b.threadOfRole(), b.i32(0));
}

void enterIf(ThreadBuilder &b, Value condition) {
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, b.loc, condition).thenBlock());
}

/// A generic pointer to a text that ends with 0.
Value textAt(ThreadBuilder &b, StringRef text) {
  auto module = b.role->getParentOfType<ModuleOp>();
  const std::string value = text.str() + '\0';
  LLVM::GlobalOp global;
  int64_t count = 0;
  for (auto known : module.getOps<LLVM::GlobalOp>()) {
    auto held = dyn_cast_if_present<StringAttr>(known.getValueOrNull());
    count += bool(held);
    if (held && held.getValue() == value)
      global = known;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getIntegerType(8), value.size());
    global = LLVM::GlobalOp::create(
        b, b.loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
        "ashlar_text" + std::to_string(count), b.getStringAttr(value),
        /*alignment=*/1, /*addrSpace=*/1);
  }
  Value address = LLVM::AddressOfOp::create(b, b.loc, global);
  return LLVM::AddrSpaceCastOp::create(
      b, b.loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// What the driver defines.
LLVM::LLVMFuncOp external(ThreadBuilder &b, StringRef name, Type result,
                          ArrayRef<Type> parameters) {
  auto module = b.role->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, b.loc, name, LLVM::LLVMFunctionType::get(result, parameters));
}

/// A value as C passes it to printf, and how printf names it.
std::pair<Value, StringRef> printed(ThreadBuilder &b, Value value) {
  Type type = value.getType();
  if (isa<FloatType>(type))
    return {arith::ExtFOp::create(b, b.loc, b.getF64Type(), value), "%g"};
  if (type.isInteger(1))
    return {b.flag(value), "%d"};
  if (type.getIntOrFloatBitWidth() < 32)
    value = arith::ExtSIOp::create(b, b.loc, b.getI32Type(), value);
  return {value, type.isInteger(64) ? "%lld" : "%d"};
}

/// One line: each {} of the text is the next of the values.
void printLine(ThreadBuilder &b, StringRef text, ArrayRef<Value> values) {
  std::string format;
  SmallVector<Value> arguments;
  SmallVector<Type> types;
  const Value *next = values.begin();
  while (!text.empty()) {
    if (text.consume_front("{}")) {
      auto [argument, name] = printed(b, *next++);
      format += name;
      arguments.push_back(argument);
      types.push_back(argument.getType());
      continue;
    }
    format += text.front() == '%' ? "%%" : std::string(1, text.front());
    text = text.drop_front();
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value buffer;
  {
    // Memory of the function's, not of a branch.
    OpBuilder::InsertionGuard guard(b);
    auto function = b.role->getParentOfType<LLVM::LLVMFuncOp>();
    b.setInsertionPointToStart(&function.getBody().front());
    buffer = LLVM::AllocaOp::create(b, b.loc, pointer, type, b.i32(1));
  }
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Value at = LLVM::GEPOp::create(b, b.loc, pointer, type, buffer,
                                   ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    LLVM::StoreOp::create(b, b.loc, argument, at);
  }
  auto print = external(b, "vprintf", b.getI32Type(), {pointer, pointer});
  LLVM::CallOp::create(b, b.loc, print,
                       ValueRange{textAt(b, format + "\n"), buffer});
}

/// Whether the role's threads have the registers to call what tells.
bool canTell(ThreadBuilder &b) {
  const int64_t registers = b.role.getRegisters();
  return registers == 0 || registers >= target::callRegisters;
}

void sayWhatTells(InFlightDiagnostic message, ThreadBuilder &b) {
  message << "role '" << b.role.getName() << "' has " << b.role.getRegisters()
          << " registers for each thread; what tells of it on a GPU takes "
          << target::callRegisters << ": use registers("
          << target::callRegisters << ") or more, or another role";
}

void failExpectation(ThreadBuilder &b, StringRef sentence) {
  StringRef file = "?";
  int64_t line = 0;
  if (auto where = b.loc->findInstanceOf<FileLineColLoc>()) {
    file = llvm::sys::path::filename(where.getFilename());
    line = where.getLine();
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto fail =
      external(b, "__assertfail", LLVM::LLVMVoidType::get(b.getContext()),
               {pointer, pointer, i32, pointer, i64});
  const std::string role = ("role '" + b.role.getName() + "'").str();
  LLVM::CallOp::create(b, b.loc, fail,
                       ValueRange{textAt(b, sentence), textAt(b, file),
                                  b.i32(line), textAt(b, role), b.i64(1)});
}

} // namespace

static FailureOr<Registers> lower(hopper::PtxOp op, Operands<hopper::PtxOp> in,
                                  ThreadBuilder &b) {
  auto fragment = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!fragment) {
    Type type = op.getResult().getType();
    return Registers{b.ptx(op.getText(), type, ones(in.getInputs()))[0]};
  }
  const FragmentType type(fragment);
  SmallVector<Registers> inputs;
  for (auto [input, registers] : llvm::zip(op.getInputs(), in.getInputs()))
    inputs.push_back(unpack(
        b, FragmentType(cast<RankedTensorType>(input.getType())), registers));
  Registers results;
  for (int64_t v = 0; v < type.values; ++v) {
    SmallVector<Value> at;
    for (Registers &input : inputs)
      at.push_back(input[v]);
    results.push_back(b.ptx(op.getText(), type.element, at)[0]);
  }
  return pack(b, type, results);
}

static FailureOr<Registers>
lower(hopper::PtxOnceOp op, Operands<hopper::PtxOnceOp> in, ThreadBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  enterIf(b, isFirstThread(b));
  b.ptx(op.getText(), ones(in.getInputs()));
  return Registers();
}

static FailureOr<Registers>
lower(hopper::PrintOp op, Operands<hopper::PrintOp> in, ThreadBuilder &b) {
  if (!canTell(b)) {
    sayWhatTells(op.emitError(), b);
    return failure();
  }
  std::string text = b.role.getName().str() + ", CTA {}";
  SmallVector<Value> values{
      b.intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x", b.getI32Type(), {})};
  std::optional<FragmentType> type;
  SmallVector<Registers> operands;
  for (auto [value, registers] : llvm::zip(op.getValues(), in.getValues())) {
    auto fragment = dyn_cast<RankedTensorType>(value.getType());
    if (fragment && !type)
      type.emplace(fragment);
    operands.push_back(fragment ? unpack(b, FragmentType(fragment), registers)
                                : Registers(registers));
  }
  auto mask = op.getCondition()
                  ? dyn_cast<RankedTensorType>(op.getCondition().getType())
                  : RankedTensorType();
  if (mask && !type)
    type.emplace(mask);
  OpBuilder::InsertionGuard guard(b);
  if (op.getCondition() && !mask)
    enterIf(b, one(in.getCondition()));
  if (!type) {
    enterIf(b, isFirstThread(b));
    for (Registers &operand : operands)
      values.push_back(operand.front());
    printLine(b, text + ": " + op.getText().str(), values);
    return Registers();
  }
  const Place place = placeOf(b, *type);
  enterIf(b, isFirstCopy(b, *type));
  const size_t rank = place.thread.size();
  for (size_t d = 0; d < rank; ++d)
    text += d ? ", {}" : ", [{}";
  text += "]: " + op.getText().str();
  for (int64_t v = 0; v < type->values; ++v) {
    SmallVector<Value> line(values);
    for (size_t d = 0; d < rank; ++d)
      line.push_back(b.add(place.thread[d], place.value[d][v]));
    for (Registers &operand : operands)
      line.push_back(operand.size() == 1 ? operand.front() : operand[v]);
    OpBuilder::InsertionGuard ofLine(b);
    if (mask)
      enterIf(b, unpack(b, FragmentType(mask), in.getCondition())[v]);
    printLine(b, text, line);
  }
  return Registers();
}

static FailureOr<Registers>
lower(hopper::ExpectOp op, Operands<hopper::ExpectOp> in, ThreadBuilder &b) {
  if (!canTell(b))
    sayWhatTells(op.emitWarning(), b);
  Value holds = Value();
  for (Value each : in.getCondition())
    holds = b.both(holds, each);
  Value fails = arith::XOrIOp::create(
      b, b.loc, holds, arith::ConstantIntOp::create(b, b.loc, 1, 1));
  // Of a condition of the whole role one thread tells.
  if (!isa<RankedTensorType>(op.getCondition().getType()))
    fails = b.both(fails, isFirstThread(b));
  OpBuilder::InsertionGuard guard(b);
  enterIf(b, fails);
  failExpectation(b, op.getSentence());
  return Registers();
}

void addDoors(ThreadPatterns &patterns) {
  patterns.add<hopper::PtxOp, hopper::PtxOnceOp, hopper::PrintOp,
               hopper::ExpectOp>();
}

} // namespace ashlar
