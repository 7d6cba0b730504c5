#include "passes/hopper_to_thread/PtxBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Path.h"

namespace ashlar {

using namespace mlir;

Value PtxBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(*this, loc, value, 32);
}
Value PtxBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(*this, loc, value, 64);
}
Value PtxBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(loc, a, b);
}
Value PtxBuilder::add(Value a, int64_t b) {
  if (b == 0)
    return a;
  return add(a, a.getType().isInteger(64) ? i64(b) : i32(b));
}
Value PtxBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(loc, a, b);
}
Value PtxBuilder::saturatingSub(Value a, Value b) {
  return LLVM::SSubSat::create(*this, loc, a.getType(), a, b);
}
Value PtxBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(loc, a, b);
}
Value PtxBuilder::mul(Value a, int64_t b) {
  return b == 1 ? a : mul(a, a.getType().isInteger(64) ? i64(b) : i32(b));
}
Value PtxBuilder::div(Value a, int64_t b) {
  return b == 1 ? a : createOrFold<arith::DivUIOp>(loc, a, i32(b));
}
Value PtxBuilder::rem(Value a, int64_t b) {
  return b == 1 ? i32(0) : createOrFold<arith::RemUIOp>(loc, a, i32(b));
}
Value PtxBuilder::extend(Value a) {
  return createOrFold<arith::ExtSIOp>(loc, getI64Type(), a);
}
Value PtxBuilder::lessThan(Value a, Value b) {
  return arith::CmpIOp::create(*this, loc, arith::CmpIPredicate::slt, a, b);
}
Value PtxBuilder::equal(Value a, Value b) {
  return arith::CmpIOp::create(*this, loc, arith::CmpIPredicate::eq, a, b);
}
Value PtxBuilder::within(Value coordinate, Value extent, bool nonNegative) {
  if (nonNegative)
    return lessThan(coordinate, extent);
  return arith::CmpIOp::create(*this, loc, arith::CmpIPredicate::ult,
                               coordinate, extent);
}
Value PtxBuilder::bitOr(Value a, Value b) {
  return createOrFold<arith::OrIOp>(loc, a, b);
}
Value PtxBuilder::bitAnd(Value a, Value b) {
  return createOrFold<arith::AndIOp>(loc, a, b);
}
Value PtxBuilder::bitXor(Value a, Value b) {
  return createOrFold<arith::XOrIOp>(loc, a, b);
}
Value PtxBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return bitAnd(a, b);
}
Value PtxBuilder::flag(Value condition) {
  return arith::ExtUIOp::create(*this, loc, getI32Type(), condition);
}

Value PtxBuilder::elementAddress(Value pointer, Type element, Value offset) {
  return LLVM::GEPOp::create(*this, loc, pointer.getType(), element, pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

namespace {

StringRef constraint(Type type) {
  if (type.isF32())
    return "f";
  if (type.isInteger(64) || isa<LLVM::LLVMPointerType>(type))
    return "l";
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 16)
    return "h";
  return "r";
}

} // namespace

/// "// acquire, gemm.cpp:21", from the operation's name and the author's line.
std::string PtxBuilder::comment() {
  auto name = dyn_cast<NameLoc>(loc);
  auto line = loc->findInstanceOf<FileLineColLoc>();
  if (!comments || !name || !line)
    return "";
  std::string text = "// " + name.getName().str() + ", " +
                     llvm::sys::path::filename(line.getFilename()).str() + ":" +
                     std::to_string(line.getLine()) + "\n\t";
  // `$` starts an operand in inline assembly.
  for (size_t at = 0; (at = text.find('$', at)) != std::string::npos; at += 2)
    text.insert(at, "$");
  return text;
}

SmallVector<Value> PtxBuilder::ptx(StringRef text, TypeRange results,
                                   ValueRange operands, unsigned tied) {
  std::string constraints;
  auto append = [&](StringRef prefix, StringRef item) {
    constraints += constraints.empty() ? "" : ",";
    constraints += (prefix + item).str();
  };
  for (Type type : results)
    append("=", constraint(type));
  for (unsigned i = 0; i < tied; ++i)
    append("", std::to_string(i));
  for (Value operand : operands.drop_front(tied))
    append("", constraint(operand.getType()));
  append("", "~{memory}");

  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(getContext(),
                                            llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(
      *this, loc, type, operands, comment() + text.str(), constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector(ValueRange(op->getResults()));
  SmallVector<Value> values;
  for (unsigned i = 0; i < results.size(); ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(*this, loc, op.getResult(0), i));
  return values;
}

Value PtxBuilder::value(StringRef text, Type result, ValueRange operands) {
  std::string constraints = ("=" + constraint(result)).str();
  for (Value operand : operands)
    constraints += ("," + constraint(operand.getType())).str();
  return LLVM::InlineAsmOp::create(
             *this, loc, result, operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      ->getResult(0);
}

Value PtxBuilder::fromLane(Value of, int64_t bit) {
  return ptx("shfl.sync.bfly.b32 $0, $1, " + std::to_string(bit) + ", 31, -1;",
             of.getType(), of)[0];
}

Value PtxBuilder::extract(Value vector, int64_t index) {
  return LLVM::ExtractElementOp::create(*this, loc, vector, i32(index));
}

Value PtxBuilder::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(*this, loc, result, getStringAttr(name),
                                       operands)
      .getResult(0);
}

} // namespace ashlar
