#include "passes/hopper_to_thread/Words.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace ashlar {

using namespace mlir;

int64_t vectorLength(const FragmentType &type, int64_t alignmentBytes) {
  int64_t bytes = tile::elementBytes(type.element);
  int64_t length = std::min(layout::contiguousValues(type.layout),
                            std::max<int64_t>(alignmentBytes / bytes, 1));
  length = std::min<int64_t>(length, 16 / bytes);
  // A vector starts at a multiple of its length along the last dimension.
  auto aligned = [&](const layout::Layout &layout) {
    auto strides = layout.stride().flatten(), shape = layout.shape().flatten();
    for (size_t i = 0; i < strides.size(); ++i)
      if (shape[i] > 1 && strides[i] >= length && strides[i] % length)
        return false;
    return true;
  };
  auto thread = layout::perDimension(type.layout.thread, type.layout.shape);
  auto value = layout::perDimension(type.layout.value, type.layout.shape);
  while (length > 1 && (type.values % length || !aligned(thread.back()) ||
                        !aligned(value.back())))
    length /= 2;
  return length;
}

// As arithmetic of integers, which LLVM folds where a word is taken apart and
// put together again.

Value joinNumbers(PtxBuilder &b, ValueRange numbers) {
  Value word;
  const Type i32 = b.getI32Type();
  for (auto [i, number] : llvm::enumerate(numbers)) {
    const int64_t bits = number.getType().getIntOrFloatBitWidth();
    if (bits == 32)
      return number;
    Value part = arith::ExtUIOp::create(b, b.loc, i32, number);
    if (i)
      part = arith::ShLIOp::create(b, b.loc, part, b.i32(int64_t(i) * bits));
    word = word ? b.bitOr(word, part) : part;
  }
  return word;
}

Value permuteBytes(PtxBuilder &b, Value low, Value high, Value selector) {
  return b.value("prmt.b32 $0, $1, $2, $3;", b.getI32Type(),
                 {low, high, selector});
}

Registers splitWord(PtxBuilder &b, Value word, int64_t count, int64_t bits) {
  if (bits == 32)
    return {word};
  Registers numbers;
  for (int64_t i = 0; i < count; ++i) {
    Value part = word;
    if (i)
      part = arith::ShRUIOp::create(b, b.loc, part, b.i32(i * bits));
    numbers.push_back(
        arith::TruncIOp::create(b, b.loc, b.getIntegerType(bits), part));
  }
  return numbers;
}

Registers toNumbers(PtxBuilder &b, const FragmentType &type,
                    ValueRange registers) {
  if (type.packed > 1 && !type.holdsHalves())
    return unpack(b, type, registers);
  Registers numbers;
  for (Value value : registers) {
    if (type.packed > 1)
      value = LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), value);
    else if (!value.getType().isInteger())
      value = LLVM::BitcastOp::create(
          b, b.loc, b.getIntegerType(value.getType().getIntOrFloatBitWidth()),
          value);
    if (type.packed > 1)
      llvm::append_range(numbers, splitWord(b, value, type.packed, 16));
    else
      numbers.push_back(value);
  }
  return numbers;
}

Registers fromNumbers(PtxBuilder &b, const FragmentType &type,
                      ValueRange numbers) {
  if (type.packed > 1 && !type.holdsHalves())
    return pack(b, type, numbers);
  Registers registers;
  for (size_t i = 0; i < numbers.size(); i += type.packed) {
    Value value = type.packed > 1
                      ? joinNumbers(b, numbers.slice(i, type.packed))
                      : numbers[i];
    if (value.getType() != type.registerType)
      value = LLVM::BitcastOp::create(b, b.loc, type.registerType, value);
    registers.push_back(value);
  }
  return registers;
}

SmallVector<Value> toWords(PtxBuilder &b, const Words &words,
                           ArrayRef<Value> scalars) {
  Type scalar = scalars.front().getType();
  auto vector = VectorType::get({int64_t(scalars.size())}, scalar);
  Value packed = LLVM::PoisonOp::create(b, b.loc, vector);
  for (auto [i, value] : llvm::enumerate(scalars))
    packed = LLVM::InsertElementOp::create(b, b.loc, packed, value, b.i32(i));
  Type word = b.getIntegerType(words.bits);
  if (words.count == 1)
    return {LLVM::BitcastOp::create(b, b.loc, word, packed)};
  Value cast = LLVM::BitcastOp::create(
      b, b.loc, VectorType::get({words.count}, word), packed);
  SmallVector<Value> result;
  for (int64_t i = 0; i < words.count; ++i)
    result.push_back(LLVM::ExtractElementOp::create(b, b.loc, cast, b.i32(i)));
  return result;
}

SmallVector<Value> fromWords(PtxBuilder &b, ArrayRef<Value> words, Type scalar,
                             int64_t count) {
  Value packed = words.front();
  if (words.size() > 1) {
    packed = LLVM::PoisonOp::create(
        b, b.loc,
        VectorType::get({int64_t(words.size())}, words.front().getType()));
    for (auto [i, word] : llvm::enumerate(words))
      packed = LLVM::InsertElementOp::create(b, b.loc, packed, word, b.i32(i));
  }
  Value cast = LLVM::BitcastOp::create(
      b, b.loc, VectorType::get({count}, scalar), packed);
  SmallVector<Value> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(LLVM::ExtractElementOp::create(b, b.loc, cast, b.i32(i)));
  return result;
}

Type wordRegister(PtxBuilder &b, const Words &words) {
  return b.getIntegerType(std::max<int64_t>(words.bits, 16));
}
Value widen(PtxBuilder &b, Value word) {
  return word.getType().isInteger(8)
             ? Value(arith::ExtUIOp::create(b, b.loc, b.getI16Type(), word))
             : word;
}
Value narrow(PtxBuilder &b, const Words &words, Value word) {
  return words.bits == 8 ? Value(arith::TruncIOp::create(
                               b, b.loc, b.getIntegerType(8), word))
                         : word;
}

std::string loadOrZeros(const Words &words, StringRef space, int64_t offset) {
  const std::string bits = std::to_string(std::max<int64_t>(words.bits, 16)),
                    count = std::to_string(words.count);
  std::string zeros, list, results;
  for (int64_t i = 0; i < words.count; ++i) {
    const std::string word = "e" + std::to_string(i);
    zeros += "mov.b" + bits + " " + word + ", 0;\n\t";
    list += (i ? ", " : "") + word;
    results +=
        "mov.b" + bits + " $" + std::to_string(i) + ", " + word + ";\n\t";
  }
  return "{\n\t.reg .pred p;\n\t.reg .b" + bits + " " + list +
         ";\n\tsetp.ne.b32 p, $" + std::to_string(words.count + 1) +
         ", 0;\n\t" + zeros + "@p ld." + space.str() + words.suffix() + " " +
         (words.count > 1 ? "{" + list + "}" : list) + ", [$" + count +
         (offset ? "+" + std::to_string(offset) : std::string()) + "];\n\t" +
         results + "}";
}

} // namespace ashlar
