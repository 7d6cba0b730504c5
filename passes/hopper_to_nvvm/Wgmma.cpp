// wgmma as PTX: one statement issues every step of K for one block of the
// accumulator.

#include "compiler/layout/Wgmma.h"
#include "compiler/target/Elements.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/ZeroFragment.h"
#include "passes/hopper_to_nvvm/ThreadLowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// An operand as wgmma sees it: a tile of (M or N, K).
struct Operand {
  layout::SwizzledLayout tile;
  bool transposed;     ///< M or N is contiguous
  uint64_t descriptor; ///< without the start address

  static layout::Result<Operand> of(tile::SharedType type, bool kContiguous,
                                    bool kIsSecond, int64_t mn, int64_t k) {
    layout::SwizzledLayout tile = *type.getLayout();
    if (!kIsSecond)
      tile = layout::transposed(tile);
    auto form = layout::wgmmaOperand(tile, kContiguous ? 1 : 0,
                                     type.elementBytes(), mn, k);
    if (!form)
      return form.refusal();
    auto descriptor = layout::descriptorBits(*form);
    if (!descriptor)
      return descriptor.refusal();
    return Operand{tile, form->major == layout::Major::MN, *descriptor};
  }

  /// Bytes from the tile's start to the block at (mn, k), before the swizzle,
  /// which works on address bits that the start of a tile leaves alone.
  int64_t offset(int64_t mn, int64_t k) const {
    return tile.layout.at({mn, k});
  }
};

/// The widest N of one instruction that cuts n evenly.
int64_t instructionColumns(int64_t n, int64_t step) {
  for (int64_t parts = llvm::divideCeil(n, target::wgmmaMostColumns);; ++parts)
    if (n % parts == 0 && (n / parts) % step == 0)
      return n / parts;
}

/// The wait for this very wgmma, where nothing but the commit is between.
hopper::WgmmaWaitOp waitRightAfter(hopper::WgmmaOp op) {
  auto commit = dyn_cast_if_present<hopper::WgmmaCommitOp>(op->getNextNode());
  if (!commit)
    return {};
  auto wait = dyn_cast_if_present<hopper::WgmmaWaitOp>(commit->getNextNode());
  return wait && llvm::equal(wait.getValues(), op->getResults())
             ? wait
             : hopper::WgmmaWaitOp();
}

std::string waitText(hopper::WgmmaWaitOp op) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) +
         ";";
}

} // namespace

LogicalResult ThreadLowering::lower(hopper::WgmmaOp op) {
  tile::SharedType typeA = op.getA().getType(), typeB = op.getB().getType();
  FragmentType type(cast<RankedTensorType>(op.getResult().getType()));
  int64_t m = type.layout.shape[0], n = type.layout.shape[1];
  int64_t elementBytes = typeA.elementBytes();
  int64_t k = typeA.sizeBytes() / elementBytes / m;
  int64_t kStep = target::wgmmaDepthBytes / elementBytes;
  bool integers = target::isInteger(*tile::elementType(typeA.getElementType()));
  int64_t columns = n <= target::wgmmaMostColumns
                        ? n
                        : instructionColumns(n, target::wgmmaStep(integers));
  int64_t warpgroups = role.getWarps() / 4;
  int64_t rows = m / warpgroups;

  auto a =
      Operand::of(typeA, !op.getTransposeA(), !op.getTransposeA(), 64, kStep);
  auto bOperand = Operand::of(typeB, op.getTransposeB(), op.getTransposeB(),
                              columns, kStep);
  for (const auto *operand : {&a, &bOperand})
    if (!*operand)
      return op.emitError("wgmma cannot read this tile: ") << operand->why();

  // A descriptor is the start address over 16 and, above it, constant fields.
  auto descriptor = [&](Value address, uint64_t constant) {
    Value field = arith::ShRUIOp::create(b, b.loc, address, b.i32(4));
    field = b.bitAnd(field, b.i32(0x3FFF));
    Value wide = arith::ExtUIOp::create(b, b.loc, b.getI64Type(), field);
    return Value(
        arith::OrIOp::create(b, b.loc, wide, b.i64(int64_t(constant))));
  };
  Value addressA = lookup(op.getA());
  if (warpgroups > 1)
    addressA = b.add(addressA, b.mul(warpgroupOfRole(), a->offset(rows, 0)));
  Value startA = descriptor(addressA, a->descriptor);
  Value startB = descriptor(lookup(op.getB()), bOperand->descriptor);

  std::string instruction =
      "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k" +
      std::to_string(kStep) + "." + tile::elementName(type.element) + "." +
      tile::elementName(typeA.getElementType()) + "." +
      tile::elementName(typeB.getElementType());
  std::string modifiers = integers ? "" : ", 1, 1";
  if (elementBytes == 2)
    modifiers += std::string(", ") + (a->transposed ? "1" : "0") + ", " +
                 (bOperand->transposed ? "1" : "0");

  int64_t perBlock = columns / 2 / type.packed;
  int64_t blocks = type.registers() / perBlock;
  int64_t blocksPerRow = n / columns;
  // One statement for all blocks, so that nothing comes between them.
  // An accumulator of zeros is not read: the first step overwrites it.
  bool isNamed = isAccumulator(op.getResult());
  bool overwrites = isZero(op.getAccumulator());
  Type wordType = type.packed == 2 ? Type(b.getI32Type()) : type.registerType;
  SmallVector<Value> operands;
  if (!isNamed)
    for (Value word : registersOf(op.getAccumulator()))
      operands.push_back(
          overwrites ? Value(LLVM::UndefOp::create(b, b.loc, wordType))
          : type.packed == 2
              ? Value(LLVM::BitcastOp::create(b, b.loc, wordType, word))
              : word);
  size_t words = operands.size();
  std::string name = isNamed ? accumulators.at(op.getResult()) : "$";
  std::string overwritten = overwrites ? "1" : "0";
  if (!overwrites && op.getOverwrite()) {
    overwritten = "$" + std::to_string(words + operands.size());
    operands.push_back(arith::ExtUIOp::create(b, b.loc, b.getI32Type(),
                                              lookup(op.getOverwrite())));
  }
  std::string text = "{\n\t.reg .pred accumulate, accumulate_first;\n\t"
                     "setp.ne.b32 accumulate, 1, 0;\n\t"
                     "setp.eq.b32 accumulate_first, " +
                     overwritten + ", 0;\n\t";
  if (op.getFence())
    text += "wgmma.fence.sync.aligned;\n\t";
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t row = block / blocksPerRow * 64;
    int64_t column = block % blocksPerRow * columns;
    std::string registers;
    for (int64_t i = 0; i < perBlock; ++i)
      registers +=
          (i ? ", " : "{") + name + std::to_string(block * perBlock + i);
    registers += "}";
    for (int64_t step = 0; step < k; step += kStep) {
      size_t number = words + operands.size();
      operands.push_back(b.add(startA, a->offset(row, step) / 16));
      operands.push_back(b.add(startB, bOperand->offset(column, step) / 16));
      text += instruction + " " + registers + ", $" + std::to_string(number) +
              ", $" + std::to_string(number + 1) +
              (step == 0 ? ", accumulate_first" : ", accumulate") + modifiers +
              ";\n\t";
    }
  }
  // So does the wait, as every statement with these registers takes its time
  // to compile.
  hopper::WgmmaWaitOp wait = waitRightAfter(op);
  if (wait) {
    text += "wgmma.commit_group.sync.aligned;\n\t" + waitText(wait) + "\n\t";
    covered.insert(wait->getPrevNode());
    covered.insert(wait);
  }
  SmallVector<Value> results =
      b.ptx(text + "}", SmallVector<Type>(words, wordType), operands, words);
  if (isNamed)
    return success();
  if (type.packed == 2)
    for (Value &word : results)
      word = LLVM::BitcastOp::create(b, b.loc, type.registerType, word);
  values.set(op.getResult(), Registers(results));
  if (wait)
    values.set(wait.getResult(0), Registers(results));
  return success();
}

void ThreadLowering::lower(hopper::WgmmaWaitOp op) {
  SmallVector<Value> words;
  SmallVector<Type> types;
  for (Value value : flatten(op.getValues(), op.getResults())) {
    if (isa<VectorType>(value.getType()))
      value = LLVM::BitcastOp::create(b, b.loc, b.getI32Type(), value);
    words.push_back(value);
    types.push_back(value.getType());
  }
  SmallVector<Value> results = b.ptx(waitText(op), types, words, words.size());
  size_t next = 0;
  for (Value value : op.getResults()) {
    if (isAccumulator(value))
      continue;
    Registers registers;
    for (Type type : convert(value.getType())) {
      Value word = results[next++];
      if (word.getType() != type)
        word = LLVM::BitcastOp::create(b, b.loc, type, word);
      registers.push_back(word);
    }
    values.set(value, registers);
  }
}

} // namespace ashlar
