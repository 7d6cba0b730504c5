// Accumulators are registers that the PTX declares by name. LLVM sees neither
// them nor the time at which wgmma writes them.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/ZeroFragment.h"
#include "passes/hopper_to_nvvm/ThreadLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

FragmentType fragmentOf(Value accumulator) {
  return FragmentType(
      cast<hopper::AccumulatorType>(accumulator.getType()).getFragment());
}

/// What holds one of its registers as a value.
Type wordType(PtxBuilder &b, const FragmentType &type) {
  return type.packed == 2 ? Type(b.getI32Type()) : type.registerType;
}

} // namespace

void ThreadLowering::declareAccumulators() {
  int64_t count = 0;
  kernel.walk([&](hopper::AccumulatorOp op) {
    std::string name = "%acc" + std::to_string(count++) + "_";
    b.ptx(".reg .b32 " + name + "<" +
          std::to_string(fragmentOf(op.getResult()).registers()) + ">;");
    accumulators[op.getResult()] = name;
  });
}

void ThreadLowering::lower(hopper::AccumulatorReadOp op) {
  FragmentType whole = fragmentOf(op.getAccumulator());
  FragmentType part(cast<RankedTensorType>(op.getResult().getType()));
  std::vector<int64_t> chosen;
  if (op.getOffsets())
    chosen =
        layout::valuesOfPart(whole.layout, op.getOffsets()->vec(), part.layout);
  else
    for (int64_t value = 0; value < whole.values; ++value)
      chosen.push_back(value);
  // The registers that hold them, each once.
  std::map<int64_t, Value> words;
  for (int64_t value : chosen)
    words[value / whole.packed] = {};
  const std::string &name = accumulators.at(op.getAccumulator());
  std::string text;
  for (auto &[number, word] : words)
    text += (text.empty() ? "mov.b32 $" : "\n\tmov.b32 $") +
            std::to_string(std::distance(words.begin(), words.find(number))) +
            ", " + name + std::to_string(number) + ";";
  SmallVector<Value> read =
      b.ptx(text, SmallVector<Type>(words.size(), wordType(b, whole)), {});
  for (auto [entry, value] : llvm::zip(words, read))
    entry.second = whole.packed == 2 ? Value(LLVM::BitcastOp::create(
                                           b, b.loc, whole.registerType, value))
                                     : value;
  if (whole.packed == 1) {
    values.set(op.getResult(), llvm::map_to_vector(chosen, [&](int64_t value) {
                 return words.at(value);
               }));
    return;
  }
  std::map<int64_t, Registers> pairs;
  for (auto &[number, word] : words)
    pairs[number] = unpack(whole, word);
  values.set(op.getResult(),
             pack(part, llvm::map_to_vector(chosen, [&](int64_t value) {
                    return pairs.at(value / 2)[value % 2];
                  })));
}

void ThreadLowering::lower(hopper::AccumulatorWriteOp op) {
  FragmentType type = fragmentOf(op.getAccumulator());
  const std::string &name = accumulators.at(op.getAccumulator());
  SmallVector<Value> operands;
  if (!isZero(op.getValue()))
    for (Value value : registersOf(op.getValue()))
      operands.push_back(
          type.packed == 2
              ? Value(LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), value))
              : value);
  std::string text;
  if (op.getValue().getDefiningOp<hopper::UndefinedOp>()) {
    text = "{\n\t.reg .b32 none;\n\t";
    for (int64_t i = 0; i < type.registers(); ++i)
      text += "mov.b32 " + name + std::to_string(i) + ", none;\n\t";
    b.ptx(text + "}");
    return;
  }
  for (int64_t i = 0; i < type.registers(); ++i)
    text += (i ? "\n\tmov.b32 " : "mov.b32 ") + name + std::to_string(i) +
            ", " + (operands.empty() ? "0" : "$" + std::to_string(i)) + ";";
  b.ptx(text, {}, operands);
}

} // namespace ashlar
