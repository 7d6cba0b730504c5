#include "ashlar/ptx.h"
#include "Describe.h"
#include "Elementwise.h"

#include "mlir/IR/TypeUtilities.h"

namespace ashlar {

using namespace detail;

namespace {

/// Refuses a text that names a register which is not there.
void checkRegisters(llvm::StringRef text, size_t registers,
                    SourceLocation where) {
  while (true) {
    text = text.drop_until([](char c) { return c == '$'; });
    if (text.empty())
      return;
    text = text.drop_front();
    unsigned number = 0;
    if (text.consumeInteger(10, number))
      fail(where, "a $ in the PTX is followed by no number: $0 and on are its "
                  "registers");
    if (number >= registers)
      fail(where, "the PTX has $" + std::to_string(number) + ", and " +
                      std::to_string(registers) + " registers, from $0 on");
  }
}

/// Refuses a text that leaves its result as it is.
void checkResult(llvm::StringRef text, SourceLocation where) {
  if (!text.contains("$0"))
    fail(where, "the PTX has no $0, which is its result: write it");
}

/// Refuses what PTX has no registers for.
void checkElement(mlir::Value value, SourceLocation where) {
  const unsigned bits =
      mlir::getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  if (bits != 16 && bits != 32)
    fail(where, "PTX takes " + describe(value.getType()) +
                    "; it has registers of 16 and 32 bits: convert it");
}

llvm::SmallVector<mlir::Value> read(Trace &trace,
                                    std::initializer_list<Scalar> scalars,
                                    SourceLocation where) {
  llvm::SmallVector<mlir::Value> values;
  for (const Scalar &scalar : scalars) {
    values.push_back(trace.read(scalar, where));
    checkElement(values.back(), where);
  }
  return values;
}

mlir::Type elementOf(Trace &trace, ElementType type, SourceLocation where) {
  mlir::Type element = registerType(trace.context(), type);
  if (!element || (element.getIntOrFloatBitWidth() != 16 &&
                   element.getIntOrFloatBitWidth() != 32))
    fail(where,
         "PTX gives " + std::string(name(type)) +
             "; results are of 16 and 32 bits, and f32 for tf32: convert "
             "the result");
  return element;
}

} // namespace

Fragment ptx(std::string_view text, ElementType result,
             std::initializer_list<FragmentOperand> inputs,
             SourceLocation where) {
  Trace &trace = Trace::current(where);
  if (inputs.size() == 0)
    fail(where, "ptx has no fragment, whose shape the result would have; use "
                "ptx_scalar for a number");
  mlir::Type element = elementOf(trace, result, where);
  checkRegisters(text, 1 + inputs.size(), where);
  checkResult(text, where);
  llvm::SmallVector<mlir::Value> values;
  mlir::RankedTensorType type;
  for (const FragmentOperand &input : inputs) {
    values.push_back(trace.read(*input.fragment, where));
    checkElement(values.back(), where);
    auto own = llvm::cast<mlir::RankedTensorType>(values.back().getType());
    if (type && own.getShape() != type.getShape())
      fail(where, "ptx of fragments of " + dimensions(type.getShape()) +
                      " and " + dimensions(own.getShape()) +
                      "; their shapes must agree: broadcast one of them");
    type = own;
  }
  return trace.declare<Fragment>(
      HandleKind::fragment,
      trace.create<tile::PtxOp>(where, type.clone(element),
                                llvm::StringRef(text), values),
      where);
}

Scalar ptx_scalar(std::string_view text, ElementType result,
                  std::initializer_list<Scalar> inputs, SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Type element = elementOf(trace, result, where);
  checkRegisters(text, 1 + inputs.size(), where);
  checkResult(text, where);
  return trace.declare<Scalar>(
      HandleKind::scalar,
      trace.create<tile::PtxOp>(where, element, llvm::StringRef(text),
                                read(trace, inputs, where)),
      where);
}

void ptx_once(std::string_view text, std::initializer_list<Scalar> inputs,
              SourceLocation where) {
  Trace &trace = Trace::current(where);
  checkRegisters(text, inputs.size(), where);
  trace.create<tile::PtxOnceOp>(where, llvm::StringRef(text),
                                read(trace, inputs, where));
}

} // namespace ashlar
