#include "ashlar/debug.h"
#include "Describe.h"
#include "Elementwise.h"

#include "mlir/IR/TypeUtilities.h"

namespace ashlar {

using namespace detail;

namespace {

/// Floats as f32, which printing takes; integers and truth values as they are.
mlir::Value printable(Trace &trace, const PrintOperand &operand,
                      SourceLocation where) {
  if (operand.index)
    return trace.read(*operand.index, where);
  if (operand.condition)
    return trace.read(*operand.condition, where);
  if (operand.mask)
    return trace.read(*operand.mask, where);
  mlir::Type f32 = mlir::Float32Type::get(trace.context());
  if (operand.isWhole)
    return trace.constant(
        mlir::Builder(trace.context()).getI64IntegerAttr(operand.whole), where);
  if (!operand.scalar && !operand.fragment)
    return emitNumber(trace, operand.number, f32, where);
  mlir::Value value = operand.scalar ? trace.read(*operand.scalar, where)
                                     : trace.read(*operand.fragment, where);
  mlir::Type type = mlir::getElementTypeOrSelf(value);
  if (llvm::isa<mlir::FloatType>(type))
    return emitConvert(trace, value, f32, where);
  return tile::isStorage(type)
             ? emitConvert(trace, value,
                           mlir::IntegerType::get(trace.context(), 32), where)
             : value;
}

} // namespace

void detail::print(const Text &text,
                   std::initializer_list<PrintOperand> operands) {
  const SourceLocation where = text.where;
  Trace &trace = Trace::current(where);
  llvm::StringRef format(text.text);
  if (format.count("{}") != operands.size())
    fail(where, "print has " + std::to_string(operands.size()) +
                    (operands.size() == 1 ? " value for " : " values for ") +
                    std::to_string(format.count("{}")) +
                    " places: each {} of the text is one");
  llvm::SmallVector<mlir::Value> values;
  mlir::RankedTensorType first;
  for (const PrintOperand &operand : operands) {
    values.push_back(printable(trace, operand, where));
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(values.back().getType());
    if (type && first && type.getShape() != first.getShape())
      fail(where, "print of fragments of " + dimensions(first.getShape()) +
                      " and " + dimensions(type.getShape()) +
                      "; their shapes must agree, since each line has an "
                      "element of each: broadcast one of them");
    if (type)
      first = type;
  }
  trace.create<tile::PrintOp>(where, format, values,
                              /*condition=*/mlir::Value());
}

void expect(ConditionOperand condition, std::string_view sentence,
            SourceLocation where) {
  Trace &trace = Trace::current(where);
  mlir::Value value = readCondition(trace, condition);
  if (!trace.isInRole() && !tile::isKnownAtLaunch(value))
    fail(where, "expect stands in no role, where each launch checks it, but "
                "no launch can compute this: compare what is of sizes, numbers "
                "and +, -, *, /, %, ceil_div, min, max of them, 1000 in all, "
                "or say it in a role");
  trace.create<tile::ExpectOp>(where, value, llvm::StringRef(sentence));
}
void expect(const Mask &mask, std::string_view sentence, SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.create<tile::ExpectOp>(where, trace.read(mask, where),
                               llvm::StringRef(sentence));
}

} // namespace ashlar
