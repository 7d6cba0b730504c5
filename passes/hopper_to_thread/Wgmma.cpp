// wgmma as PTX: one statement issues every step of K for one block of the
// accumulator.

#include "compiler/layout/Wgmma.h"
#include "compiler/layout/SharedTile.h"
#include "compiler/layout/WgmmaFragment.h"
#include "compiler/target/Elements.h"
#include "compiler/target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/hopper_to_thread/Lowering.h"

namespace ashlar {

using namespace mlir;

namespace {

/// An operand as wgmma sees it: a tile of (M or N, K).
struct Operand {
  layout::SwizzledLayout tile;
  bool transposed;     ///< M or N is contiguous
  uint64_t descriptor; ///< without the start address

  static layout::Result<Operand> of(layout::SwizzledLayout tile,
                                    int64_t elementBytes, bool kContiguous,
                                    bool kIsSecond, int64_t mn, int64_t k) {
    if (!kIsSecond)
      tile = layout::transposed(tile);
    auto form =
        layout::wgmmaOperand(tile, kContiguous ? 1 : 0, elementBytes, mn, k);
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

/// Registers of an accumulator from this one on.
std::string registersOf(ThreadBuilder &b, Value accumulator, int64_t first,
                        int64_t count) {
  const std::string &name = b.context.accumulators.find(accumulator)->second;
  std::string text;
  for (int64_t i = first; i < first + count; ++i)
    text += (i == first ? "{" : ", ") + name + std::to_string(i);
  return text + "}";
}

/// The metadata of a sparse A, and the selector of the lanes that have them,
/// for a step of 64 rows.
std::string metadataOf(ThreadBuilder &b, hopper::WgmmaOp op, int64_t rowBlock,
                       int64_t rowBlocks, int64_t step) {
  if (!op.getMetadata())
    return "";
  const FragmentType type(op.getMetadata().getType().getFragment());
  const auto place = layout::metadataPlace(step, type.layout.shape[1],
                                           op.getB().getType().elementBytes());
  return ", " + b.context.accumulators.find(op.getMetadata())->second +
         std::to_string(rowBlock * type.words() / rowBlocks +
                        place.registerNumber) +
         ", " + std::to_string(place.selector);
}

} // namespace

static FailureOr<Registers>
lower(hopper::WgmmaOp op, Operands<hopper::WgmmaOp> in, ThreadBuilder &b) {
  tile::SharedType typeB = op.getB().getType();
  auto tileA = dyn_cast<tile::SharedType>(op.getA().getType());
  const Type elementA = op.product().elementA();
  FragmentType type(op.getAccumulator().getType().getFragment());
  int64_t m = type.layout.shape[0], n = type.layout.shape[1];
  int64_t elementBytes = typeB.elementBytes();
  int64_t k = typeB.sizeBytes() / elementBytes / n;
  // Of A in memory, and of B.
  int64_t kStepOfA = target::wgmmaDepthBytes / elementBytes;
  int64_t kStep = kStepOfA * (op.getMetadata() ? target::sparseRatio : 1);
  bool integers = target::isInteger(*tile::elementType(elementA));
  int64_t columns = n <= target::wgmmaMostColumns
                        ? n
                        : instructionColumns(n, target::wgmmaStep(integers));
  int64_t warpgroups = b.role.getWarps() / 4;
  int64_t rows = m / warpgroups;

  // The columns of the accumulator lie as the rows of B, and those of A in
  // registers as the columns of B.
  const layout::SwizzledLayout &tileB = *typeB.getLayout();
  auto bOperand = Operand::of(
      op.getTransposeB()
          ? layout::columnsAsTheyLie(layout::rowsAsTheyLie(tileB))
          : tileB,
      elementBytes, op.getTransposeB(), op.getTransposeB(), columns, kStep);
  // Where A lies in registers, its tile is not asked for.
  auto a =
      tileA ? Operand::of(*tileA.getLayout(), elementBytes, !op.getTransposeA(),
                          !op.getTransposeA(), target::wgmmaRows, kStepOfA)
            : bOperand;
  for (const auto *operand : {&a, &bOperand})
    if (!*operand)
      return op.emitError("wgmma cannot read this tile: ") << operand->why();

  // A descriptor is the start address over 16 and, above it, constant fields.
  auto field = [&](Value address) {
    Value start = arith::ShRUIOp::create(b, b.loc, address, b.i32(4));
    return b.bitAnd(start, b.i32(0x3FFF));
  };
  Value startA;
  if (tileA) {
    Value address = one(in.getA());
    if (warpgroups > 1)
      address = b.add(address, b.mul(b.warpgroupOfRole(), a->offset(rows, 0)));
    startA = field(address);
  }
  Value startB = field(one(in.getB()));

  std::string instruction =
      std::string("wgmma.mma_async") + (op.getMetadata() ? ".sp" : "") +
      ".sync.aligned.m64n" + std::to_string(columns) + "k" +
      std::to_string(kStep) + "." + tile::elementName(type.element) + "." +
      tile::elementName(elementA) + "." +
      tile::elementName(typeB.getElementType());
  std::string modifiers = integers ? "" : ", 1, 1";
  if (elementBytes == 2 && tileA)
    modifiers += a->transposed ? ", 1" : ", 0";
  if (elementBytes == 2)
    modifiers += bOperand->transposed ? ", 1" : ", 0";

  int64_t perBlock = columns / 2 / type.packed;
  int64_t blocks = type.registers() / perBlock;
  int64_t blocksPerRow = n / columns;
  // One statement for all blocks, so that nothing comes between them.
  SmallVector<Value> operands;
  // The first step overwrites what is not to be read.
  std::string overwritten = op.getZeroed() ? "1" : "0";
  if (!op.getZeroed() && op.getOverwrite()) {
    overwritten = "$0";
    operands.push_back(b.flag(one(in.getOverwrite())));
  }
  const size_t operandB = operands.size(), operandA = operandB + 1;
  operands.push_back(startB);
  if (tileA)
    operands.push_back(startA);
  std::string text = "{\n\t.reg .pred accumulate, accumulate_first;\n\t"
                     ".reg .b32 start;\n\t.reg .b64 left, right;\n\t"
                     "setp.ne.b32 accumulate, 1, 0;\n\t"
                     "setp.eq.b32 accumulate_first, " +
                     overwritten + ", 0;\n\twgmma.fence.sync.aligned;\n\t";
  for (int64_t block = 0; block < blocks; ++block) {
    int64_t rowBlock = block / blocksPerRow;
    int64_t row = rowBlock * target::wgmmaRows;
    int64_t column = block % blocksPerRow * columns;
    const std::string registers =
        registersOf(b, op.getAccumulator(), block * perBlock, perBlock);
    for (int64_t step = 0; step < k / kStep; ++step) {
      auto descriptor = [&](const char *name, size_t start, const Operand &of,
                            int64_t bytes) {
        const uint64_t low = (of.descriptor & 0xffffffff) + bytes / 16;
        text += "add.s32 start, $" + std::to_string(start) + ", " +
                std::to_string(low) + ";\n\tmov.b64 " + name + ", {start, " +
                std::to_string(of.descriptor >> 32) + "};\n\t";
        return std::string(name);
      };
      // Four registers have A's 64 rows of a step.
      const std::string left =
          tileA
              ? descriptor("left", operandA, *a,
                           a->offset(row, step * kStepOfA))
              : registersOf(b, op.getA(), (rowBlock * k / kStep + step) * 4, 4);
      const std::string right = descriptor(
          "right", operandB, *bOperand, bOperand->offset(column, step * kStep));
      text += instruction + " " + registers + ", " + left + ", " + right +
              metadataOf(b, op, rowBlock, blocks / blocksPerRow, step) +
              (step == 0 ? ", accumulate_first" : ", accumulate") + modifiers +
              ";\n\t";
    }
  }
  b.ptx(text + "}", operands);
  return Registers();
}

static FailureOr<Registers> lower(hopper::WgmmaWaitOp op,
                                  Operands<hopper::WgmmaWaitOp> in,
                                  ThreadBuilder &b) {
  std::string wait = "wgmma.wait_group.sync.aligned " +
                     std::to_string(op.getPending()) + ";\n\t";
  if (!op.getTwice()) {
    b.ptx(wait.substr(0, wait.size() - 2));
    return Registers();
  }
  // The condition is the same for all threads, which is all that it need be.
  b.ptx("{\n\t.reg .pred either;\n\t.reg .b32 block;\n\t"
        "mov.u32 block, %ctaid.x;\n\tsetp.eq.u32 either, block, 0;\n\t"
        "@either bra $$EITHER;\n\t" +
        wait + "bra $$DONE;\n\t$$EITHER:\n\t" + wait + "$$DONE:\n\t}");
  return Registers();
}

static FailureOr<Registers> lower(hopper::WgmmaCommitOp,
                                  Operands<hopper::WgmmaCommitOp>,
                                  ThreadBuilder &b) {
  b.ptx("wgmma.commit_group.sync.aligned;");
  return Registers();
}

void addWgmma(ThreadPatterns &patterns) {
  patterns.add<hopper::WgmmaOp, hopper::WgmmaWaitOp, hopper::WgmmaCommitOp>();
}

} // namespace ashlar
