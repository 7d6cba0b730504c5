// Accumulators are registers that the PTX declares by name. LLVM sees neither
// them nor the time at which wgmma writes them.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/ZeroFragment.h"
#include "passes/hopper_to_thread/ThreadLowering.h"
#include "llvm/ADT/SetVector.h"

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
  if (count) // a value that nobody needs
    b.ptx(".reg .b32 %none;");
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

namespace {

/// Whether a fragment has the same in many registers: computed of rows or
/// columns and of what is the same everywhere.
bool repeatsRegisters(Value fragment) {
  llvm::SetVector<Value> computed;
  computed.insert(fragment);
  for (size_t i = 0; i < computed.size(); ++i) {
    Operation *op = computed[i].getDefiningOp();
    if (isa_and_present<hopper::BroadcastOp, hopper::SplatOp>(op))
      continue;
    if (!op || !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return false;
    computed.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

} // namespace

void ThreadLowering::lower(hopper::AccumulatorWriteOp op) {
  FragmentType type = fragmentOf(op.getAccumulator());
  const std::string &name = accumulators.at(op.getAccumulator());
  auto write = [&](ValueRange words,
                   llvm::function_ref<std::string(std::string)> valueOf) {
    std::string text;
    for (int64_t i = 0; i < type.registers(); ++i) {
      const std::string number = std::to_string(i);
      text += (i ? "\n\tmov.b32 " : "mov.b32 ") + name + number + ", " +
              valueOf(number) + ";";
    }
    b.ptx(text, {}, words);
  };
  if (op.getValue().getDefiningOp<hopper::UndefinedOp>())
    return write({}, [](auto) { return "%none"; });
  if (isZero(op.getValue()))
    return write({}, [](auto) { return "0"; });
  SmallVector<Value> words = llvm::map_to_vector(
      registersOf(op.getValue()), [&](Value value) -> Value {
        return type.packed == 2
                   ? LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), value)
                   : value;
      });
  if (repeatsRegisters(op.getValue()))
    words = makeDistinct(words);
  write(words, [](std::string number) { return "$" + number; });
}

/// ptxas would copy one register to many only at the wgmma, and wait before
/// that for all in flight (C7517). So each becomes a value of its own: that the
/// predicate is true it does not know.
SmallVector<Value> ThreadLowering::makeDistinct(ValueRange words) {
  std::string text = "{\n\t.reg .pred always;\n\t.reg .b32 bytes;\n\t"
                     "mov.u32 bytes, %dynamic_smem_size;\n\t"
                     "setp.ne.u32 always, bytes, 0xffffffff;\n\t";
  for (size_t i = 0; i < words.size(); ++i)
    text += ("selp.b32 $" + Twine(i) + ", $" + Twine(words.size() + i) + ", " +
             Twine(i) + ", always;\n\t")
                .str();
  return b.ptx(text + "}", words.getTypes(), words);
}

} // namespace ashlar
