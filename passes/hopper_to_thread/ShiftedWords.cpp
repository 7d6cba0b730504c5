#include "passes/hopper_to_thread/ShiftedWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/hopper_to_thread/Words.h"

namespace ashlar {

using namespace mlir;

void forEach(PtxBuilder &b, Value from, int64_t to, int64_t step, bool isOnce,
             llvm::function_ref<void(Value)> body) {
  if (isOnce)
    return body(from);
  auto loop = scf::ForOp::create(b, b.loc, from, b.i32(to), b.i32(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

SmallVector<Value> loadWord(PtxBuilder &b, Value address, int64_t number,
                            Value condition, StringRef space, bool hasOthers) {
  const Words words(wordBytes);
  const std::string around = hasOthers ? "//@ around\n\t" : "";
  SmallVector<Value> operands{address};
  std::string text;
  if (condition) {
    operands.push_back(b.flag(condition));
    text = loadOrZeros(words, space, wordBytes * number);
    text.insert(text.find("@p ld"), around);
  } else {
    text = around + "ld." + space.str() + ".v4.b32 {$0, $1, $2, $3}, [$4+" +
           std::to_string(wordBytes * number) + "];";
  }
  const SmallVector<Type> types(words.count, b.getI32Type());
  return b.ptx(text, types, operands);
}

SmallVector<Value> shifted(PtxBuilder &b, SmallVector<Value> words,
                           Value address, int64_t alignment) {
  const size_t count = words.size() - 4;
  for (int64_t bytes : {8, 4}) {
    if (alignment > bytes)
      continue;
    Value isFarther =
        arith::CmpIOp::create(b, b.loc, arith::CmpIPredicate::ne,
                              b.bitAnd(address, b.i32(bytes)), b.i32(0));
    const size_t distance = bytes / 4;
    for (size_t i = 0; i + distance < words.size(); ++i)
      words[i] = arith::SelectOp::create(b, b.loc, isFarther,
                                         words[i + distance], words[i]);
    words.pop_back_n(distance);
  }
  if (alignment < 4) {
    Value bits = b.mul(address, 8);
    for (size_t i = 0; i + 1 < words.size(); ++i)
      words[i] = b.value("shf.r.wrap.b32 $0, $1, $2, $3;", b.getI32Type(),
                         {words[i], words[i + 1], bits});
  }
  words.truncate(count);
  return words;
}

SmallVector<Value> bitsBetween(PtxBuilder &b, Value begin, Value end,
                               int64_t words) {
  // Of one word, from a byte on.
  auto from = [&](Value byte, int64_t word) {
    Value bits = b.createOrFold<arith::MaxSIOp>(
        b.loc, b.sub(b.mul(byte, 8), b.i32(32 * word)), b.i32(0));
    return b.value("shl.b32 $0, -1, $1;", b.getI32Type(), {bits});
  };
  SmallVector<Value> masks;
  for (int64_t word = 0; word < words; ++word) {
    Value mask = b.bitXor(from(end, word), b.i32(-1));
    if (begin)
      mask = b.bitAnd(mask, from(begin, word));
    masks.push_back(mask);
  }
  return masks;
}

} // namespace ashlar
