// Accumulators are registers that the PTX declares by name. LLVM sees neither
// them nor the time at which wgmma writes them.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/ZeroFragment.h"
#include "passes/hopper_to_thread/Words.h"
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

void rescaleInPlace(hopper::KernelOp kernel) {
  kernel.walk([](hopper::AccumulatorWriteOp write) {
    auto pin = write.getValue().getDefiningOp<hopper::PinOp>();
    auto product = (pin ? pin.getValue() : write.getValue())
                       .getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasAttr(tile::mostlyOne) ||
        !product->hasOneUse() || (pin && !pin->hasOneUse()) ||
        !getElementTypeOrSelf(product.getType()).isF32())
      return;
    Value accumulator = write.getAccumulator();
    auto read = product.getLhs().getDefiningOp<hopper::AccumulatorReadOp>();
    if (!read || !read->hasOneUse() || read.getAccumulator() != accumulator ||
        read->getBlock() != write->getBlock() || read.getOffsets() ||
        hopper::isOperandA(accumulator))
      return;
    for (Operation *op = read->getNextNode(); op != write;
         op = op->getNextNode())
      if (llvm::any_of(accumulator.getUsers(),
                       [&](Operation *user) { return op->isAncestor(user); }))
        return;
    OpBuilder builder(product);
    hopper::AccumulatorRescaleOp::create(builder, product.getLoc(),
                                         product.getRhs(), accumulator);
    write.erase();
    if (pin)
      pin.erase();
    product.erase();
    read.erase();
  });
}

void declareAccumulators(hopper::KernelOp kernel, PtxBuilder &b,
                         ThreadContext &context) {
  int64_t count = 0;
  kernel.walk([&](hopper::AccumulatorOp op) {
    std::string name = "%acc" + std::to_string(count++) + "_";
    const int64_t words = fragmentOf(op.getResult()).words();
    b.ptx(".reg .b32 " + name + "<" + std::to_string(words) + ">;");
    context.accumulators[op.getResult()] = name;
    context.accumulated[op->getParentOfType<hopper::RoleOp>()] += words;
  });
  if (count) // a value that nobody needs
    b.ptx(".reg .b32 %none;");
}

static FailureOr<Registers>
lower(hopper::AccumulatorOp, Operands<hopper::AccumulatorOp>, ThreadBuilder &) {
  return Registers(); // named by its users
}

static FailureOr<Registers> lower(hopper::AccumulatorReadOp op,
                                  Operands<hopper::AccumulatorReadOp> in,
                                  ThreadBuilder &b) {
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
  const std::string &name =
      b.context.accumulators.find(op.getAccumulator())->second;
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
  if (whole.packed == 1)
    return Registers(llvm::map_to_vector(
        chosen, [&](int64_t value) { return words.at(value); }));
  std::map<int64_t, Registers> pairs;
  for (auto &[number, word] : words)
    pairs[number] = unpack(b, whole, word);
  return pack(b, part, llvm::map_to_vector(chosen, [&](int64_t value) {
                return pairs.at(value / 2)[value % 2];
              }));
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
    if (!op ||
        (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         !isa<hopper::PinOp>(op)))
      return false;
    computed.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// Begins a block of PTX with a predicate that ptxas can't know.
constexpr StringRef alwaysTrue =
    "{\n\t.reg .pred always;\n\t.reg .b32 bytes;\n\t"
    "mov.u32 bytes, %dynamic_smem_size;\n\t"
    "setp.ne.u32 always, bytes, 0xffffffff;\n\t";

/// ptxas would copy one register to many only at the wgmma, and wait before
/// that for all in flight (C7517). So each becomes a value of its own: that the
/// predicate is true it does not know.
SmallVector<Value> makeDistinct(PtxBuilder &b, ValueRange words) {
  std::string text = alwaysTrue.str();
  for (size_t i = 0; i < words.size(); ++i)
    text += ("selp.b32 $" + Twine(i) + ", $" + Twine(words.size() + i) + ", " +
             Twine(i) + ", always;\n\t")
                .str();
  return b.ptx(text + "}", words.getTypes(), words);
}

/// Whether wgmma takes them as metadata, or as A of tf32.
bool isMetadata(Value registers) {
  return llvm::any_of(registers.getUsers(), [&](Operation *user) {
    auto wgmma = dyn_cast<hopper::WgmmaOp>(user);
    return wgmma && wgmma.getMetadata() == registers;
  });
}
bool isTf32(Value registers) {
  return llvm::any_of(registers.getUsers(), [&](Operation *user) {
    auto wgmma = dyn_cast<hopper::WgmmaOp>(user);
    return wgmma && wgmma.getA() == registers &&
           wgmma.product().elementA().isTF32();
  });
}

/// Each pair of 16-bit values as a register.
SmallVector<Value> wordsOfPairs(PtxBuilder &b, ValueRange pairs) {
  return llvm::map_to_vector(pairs, [&](Value pair) -> Value {
    return LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), pair);
  });
}

/// The 16 bits that two bytes were taken from, one behind the other; or null.
Value halfOf(Value low, Value high) {
  auto first = low.getDefiningOp<arith::TruncIOp>(),
       second = high.getDefiningOp<arith::TruncIOp>();
  if (!first || !second || !low.getType().isInteger(8) ||
      !first.getIn().getType().isInteger(16))
    return {};
  auto shifted = second.getIn().getDefiningOp<arith::ShRUIOp>();
  return shifted && shifted.getLhs() == first.getIn() &&
                 isConstantIntValue(shifted.getRhs(), 8)
             ? first.getIn()
             : Value();
}

/// The two numbers of 16 bits that four bytes are; or nothing.
SmallVector<Value> halvesOf(ValueRange bytes) {
  if (bytes.size() != 4)
    return {};
  Value low = halfOf(bytes[0], bytes[1]), high = halfOf(bytes[2], bytes[3]);
  return low && high ? SmallVector<Value>{low, high} : SmallVector<Value>();
}

/// Writes A or its metadata to their registers. ptxas takes a copy for the
/// value that it copies, and so lets what is computed before the wait for the
/// wgmma that still reads the registers overwrite them, without a remark. An
/// exclusive or with zero is no copy: that it is zero ptxas does not know. Nor
/// is what rounds to tf32 as TMA does, makes 0 the least metadata that there
/// are, or puts two halves together.
void writeOperandA(PtxBuilder &b, const FragmentType &type, Value registers,
                   const std::string &name, ValueRange values) {
  std::string text = "{\n\t", before, behind;
  SmallVector<SmallVector<Value>> words; ///< each whole, or of two halves
  auto takeWords = [&](ValueRange whole) {
    for (Value word : whole)
      words.push_back({word});
  };
  if (isTf32(registers)) {
    takeWords(values);
    before = "cvt.rn.tf32.f32 ";
  } else {
    if (type.packed == 2) {
      takeWords(wordsOfPairs(b, values));
    } else {
      const Registers numbers = toNumbers(b, type, values);
      const size_t perWord = numbers.size() / type.words();
      for (size_t i = 0; i < numbers.size(); i += perWord) {
        const auto ofWord = ArrayRef(numbers).slice(i, perWord);
        words.push_back(halvesOf(ofWord));
        if (words.back().empty())
          words.back() = {joinNumbers(b, ofWord)};
      }
    }
    if (isMetadata(registers)) {
      text += ".reg .b32 least;\n\tmov.b32 least, 0x44444444;\n\t";
      before = "max.u16x2 ";
      behind = ", least";
    } else {
      text = alwaysTrue.str() + ".reg .b32 zero;\n\t"
                                "selp.b32 zero, 0, 1, always;\n\t";
      before = "xor.b32 ";
      behind = ", zero";
    }
  }
  SmallVector<Value> operands;
  for (auto [i, word] : llvm::enumerate(words)) {
    auto operand = [&](size_t number) {
      operands.push_back(word[number]);
      return ", $" + std::to_string(operands.size() - 1);
    };
    const std::string target = name + std::to_string(i);
    if (word.size() == 1)
      text += before + target + operand(0) + behind + ";\n\t";
    else
      text += "{\n\t.reg .b32 low, high;\n\tcvt.u32.u16 low" + operand(0) +
              ";\n\tcvt.u32.u16 high" + operand(1) +
              ";\n\tshl.b32 high, high, 16;\n\tor.b32 " + target +
              ", low, high;\n\t}\n\t";
  }
  b.ptx(text + "}", TypeRange(), operands);
}

/// Writes f32 rounded to 16 bits to the registers of A: that is no copy.
void roundToOperandA(PtxBuilder &b, const FragmentType &type,
                     const std::string &name, ValueRange values) {
  const StringRef to = type.element.isBF16() ? "bf16x2" : "f16x2";
  std::string text;
  for (int64_t i = 0; i < type.words(); ++i)
    text += ("cvt.rn." + to + ".f32 " + name + Twine(i) + ", $" +
             Twine(2 * i + 1) + ", $" + Twine(2 * i) + ";\n\t")
                .str();
  b.ptx(text, TypeRange(), values);
}

} // namespace

static FailureOr<Registers> lower(hopper::AccumulatorWriteOp op,
                                  Operands<hopper::AccumulatorWriteOp> in,
                                  ThreadBuilder &b) {
  FragmentType type = fragmentOf(op.getAccumulator());
  const std::string &name =
      b.context.accumulators.find(op.getAccumulator())->second;
  auto write = [&](ValueRange words,
                   llvm::function_ref<std::string(std::string)> valueOf) {
    std::string text;
    for (int64_t i = 0; i < type.words(); ++i) {
      const std::string number = std::to_string(i);
      text += (i ? "\n\tmov.b32 " : "mov.b32 ") + name + number + ", " +
              valueOf(number) + ";";
    }
    b.ptx(text, {}, words);
    return Registers();
  };
  if (op.getValue().getDefiningOp<hopper::UndefinedOp>())
    return write({}, [](auto) { return "%none"; });
  if (cast<RankedTensorType>(op.getValue().getType()).getElementType() !=
      type.element) {
    roundToOperandA(b, type, name, in.getValue());
    return Registers();
  }
  if (hopper::isOperandA(op.getAccumulator())) {
    writeOperandA(b, type, op.getAccumulator(), name, in.getValue());
    return Registers();
  }
  if (isZero(op.getValue()))
    return write({}, [](auto) { return "0"; });
  SmallVector<Value> words(in.getValue());
  if (type.packed == 2)
    words = wordsOfPairs(b, words);
  if (repeatsRegisters(op.getValue()))
    words = makeDistinct(b, words);
  return write(words, [](std::string number) { return "$" + number; });
}

static FailureOr<Registers> lower(hopper::AccumulatorRescaleOp op,
                                  Operands<hopper::AccumulatorRescaleOp> in,
                                  ThreadBuilder &b) {
  const std::string &name =
      b.context.accumulators.find(op.getAccumulator())->second;
  llvm::SetVector<Value> factors(in.getFactors().begin(),
                                 in.getFactors().end());
  std::string text = "{\n\t.reg .pred one, all;\n\tsetp.eq.b32 one, 0, 0;";
  for (size_t i = 0; i < factors.size(); ++i)
    text +=
        "\n\tsetp.eq.and.f32 one, $" + std::to_string(i) + ", 0f3F800000, one;";
  text += "\n\tvote.sync.all.pred all, one, 0xffffffff;\n\t@all bra $$ones;";
  for (auto [i, factor] : llvm::enumerate(in.getFactors())) {
    const std::string word = name + std::to_string(i);
    text += "\n\tmul.f32 " + word + ", " + word + ", $" +
            std::to_string(llvm::find(factors, factor) - factors.begin()) + ";";
  }
  b.ptx(text + "\n$$ones:\n\t}", factors.getArrayRef());
  return Registers();
}

/// Stays where it is, though nobody needs it yet.
static FailureOr<Registers> lower(hopper::PinOp, Operands<hopper::PinOp> in,
                                  ThreadBuilder &b) {
  Registers registers(in.getValue());
  for (Value &word : registers) {
    Type type = word.getType();
    const bool isFloat = type.isF32();
    if (!isFloat)
      word = LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), word);
    word = b.ptx("mov.b32 $0, $1;", word.getType(), word)[0];
    if (!isFloat)
      word = LLVM::BitcastOp::create(b, b.loc, type, word);
  }
  return registers;
}

void addAccumulators(ThreadPatterns &patterns) {
  patterns.add<hopper::AccumulatorOp, hopper::AccumulatorReadOp,
               hopper::AccumulatorWriteOp, hopper::AccumulatorRescaleOp,
               hopper::PinOp>();
}

} // namespace ashlar
