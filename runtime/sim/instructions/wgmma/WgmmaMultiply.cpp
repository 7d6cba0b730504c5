// wgmma.mma_async (PTX ISA, "Asynchronous Warpgroup Level Matrix
// Instructions").
#include "runtime/sim/instructions/wgmma/WgmmaMultiply.h"

#include "runtime/sim/instructions/ProgramBuilder.h"
#include "runtime/sim/instructions/matrix/MatrixOperands.h"
#include "runtime/sim/machine/matrix/SparseMatrix.h"
#include "runtime/sim/machine/matrix/Wgmma.h"

#include <algorithm>
#include <iterator>

namespace ashlar::sim {

namespace {

struct WgmmaMultiply final : Instruction {
  WgmmaForm form;
  Slot descriptorA, descriptorB;
  Slot scaleD;
  bool scaleDNegated = false;

  uint64_t descriptor(Warp &warp, Slot slot, const char *operand) const {
    const uint64_t *lanes = warp.lanes<uint64_t>(slot);
    if (std::any_of(lanes, lanes + warpLanes,
                    [&](uint64_t other) { return other != *lanes; }))
      warp.report(Finding::invalidDescriptor,
                  std::string("the matrix descriptor of ") + operand +
                      " is not the same in all lanes of the warp: compute it "
                      "from values that are",
                  std::string("reads ") + operand);
    return *lanes;
  }

  Step execute(Warp &warp, LaneMask active) const override {
    const uint64_t a =
        form.a.empty() ? descriptor(warp, descriptorA, "A") : uint64_t(0);
    const uint64_t b = descriptor(warp, descriptorB, "B");
    LaneMask accumulate = warp.predicate(scaleD);
    if (scaleDNegated)
      accumulate = ~accumulate;
    accumulate &= active;
    if (accumulate != 0 && accumulate != active)
      warp.report(Finding::divergent,
                  "scale-d is not the same in all lanes of the warp: compute "
                  "it from values that are",
                  "reads scale-d");
    WgmmaGroups::of(warp).issue(warp, form, a, b, accumulate != 0);
    return Step::next;
  }
};

/// The elements along K of one instruction: 32 bytes.
unsigned depthOf(MatrixType type) { return 256 / bits(type); }

void checkTypes(Decoder &decoder, const WgmmaForm &form) {
  using enum MatrixType;
  const MatrixType a = form.typeA, b = form.typeB, d = form.typeD;
  const bool eightBits = isEightBitFloat(a) && isEightBitFloat(b);
  const bool integers = (a == s8 || a == u8) && (b == s8 || b == u8);
  const bool bitsOnly = a == b1 && b == b1;
  const bool same = a == b && (a == f16 || a == bf16 || a == tf32);
  if (!same && !eightBits && !integers && !bitsOnly)
    decoder.refuse("wgmma does not multiply ." + std::string(name(a)) +
                   " by ." + std::string(name(b)));
  const bool halfAccumulator = d == f16 && (eightBits || (same && a == f16));
  const bool fits =
      integers || bitsOnly ? d == s32 : d == f32 || halfAccumulator;
  if (!fits)
    decoder.refuse("products of ." + std::string(name(a)) + " and ." +
                   std::string(name(b)) + " are not accumulated in ." +
                   std::string(name(d)));
}

void checkShape(Decoder &decoder, const WgmmaForm &form, MatrixShape shape) {
  const unsigned depth = depthOf(form.typeA) * (form.sparse ? 2 : 1);
  if (shape.m != 64 || shape.k != depth)
    decoder.refuse("with elements of ." + std::string(name(form.typeA)) +
                   " the shape must be .m64nNk" + std::to_string(depth));
  const unsigned n = shape.n;
  const bool inStep = isIntegerOperand(form.typeA)
                          ? n % 16 == 0 || n == 8 || n == 24
                          : n % 8 == 0;
  if (n < 8 || n > 256 || !inStep)
    decoder.refuse(isIntegerOperand(form.typeA)
                       ? "N must be 8, 24, or a multiple of 16 up to 256"
                       : "N must be a multiple of 8 from 8 to 256");
}

/// An immediate that must be one of two values.
bool choice(Decoder &decoder, size_t index, int64_t no, int64_t yes,
            const char *what) {
  const int64_t value = decoder.immediate(decoder.operand(index));
  if (value != no && value != yes)
    decoder.refuse(std::string(what) + " is " + std::to_string(value) +
                   "; it must be " + std::to_string(no) + " or " +
                   std::to_string(yes));
  return value == yes;
}

/// Goes back from the end of what is decoded to the nearest wgmma.fence, or to
/// a label, behind which all is executed in order. A copy of a register is no
/// write: a compiler that could not give two names of an accumulator one
/// register copies it, which changes nothing. But what it copies is A or D as
/// well.
void findWriters(Decoder &decoder, WgmmaForm &form) {
  const Function &function = decoder.program().currentFunction();
  const auto &labels = function.text->labels;
  std::vector<const Instruction *> writers;
  std::vector<RegisterRange> copied;
  for (size_t i = function.body.size(); i > 0; --i) {
    const Instruction &earlier = *function.body[i - 1];
    if (earlier.traits.fencesRegisters ||
        std::ranges::find(labels, i, &ptx::Label::instruction) !=
            labels.end()) {
      form.writersSinceFence = std::move(writers);
      return;
    }
    if (earlier.hasGuard)
      continue;
    std::vector<Slot> read, written;
    for (size_t j = 0; j < earlier.registers.size(); ++j)
      (earlier.writes(j) ? written : read).push_back(earlier.registers[j]);
    const auto target = rangesOf(written);
    if (!overlap(target, form.rangesD) && !overlap(target, form.rangesA) &&
        !overlap(target, copied))
      continue;
    if (!earlier.traits.copiesRegister)
      writers = {&earlier};
    else
      std::ranges::copy(rangesOf(read), std::back_inserter(copied));
  }
}

void takeMetadata(Decoder &decoder, WgmmaForm &form) {
  form.metadata = decoder.source(decoder.operand(3), ptx::Type::b32);
  std::vector<Slot> read = form.a;
  read.push_back(form.metadata);
  form.rangesA = rangesOf(read);
  const int64_t selector = decoder.immediate(decoder.operand(4));
  const unsigned choices = 4 / metadataLanes(form.typeA, 64);
  if (selector < 0 || selector >= choices)
    decoder.refuse("the sparsity selector is " + std::to_string(selector) +
                   "; with this type it is less than " +
                   std::to_string(choices));
  form.selector = static_cast<unsigned>(selector);
}

} // namespace

Decoded decodeWgmmaMultiply(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto made = std::make_unique<WgmmaMultiply>();
  WgmmaForm &form = made->form;
  form.sparse = modifiers.take("sp");
  takeSyncAligned(decoder);
  const MatrixShape shape = takeShape(decoder);
  form.saturate = modifiers.take("satfinite");
  form.typeD = takeMatrixType(decoder);
  form.typeA = takeMatrixType(decoder);
  form.typeB = takeMatrixType(decoder);
  form.saturate |= modifiers.take("satfinite");
  checkTypes(decoder, form);
  checkShape(decoder, form, shape);
  form.n = shape.n;
  form.k = shape.k;
  if (form.saturate &&
      (!isIntegerOperand(form.typeA) || form.typeA == MatrixType::b1))
    decoder.refuse(".satfinite is for .s8 and .u8 only");
  if (form.sparse && form.typeA == MatrixType::b1)
    decoder.refuse("a sparse A can't be .b1");
  if (form.typeA == MatrixType::b1 &&
      (!modifiers.take("and") || !modifiers.take("popc")))
    decoder.refuse("with .b1 it needs .and.popc");
  decoder.expectNoMoreModifiers();

  const bool fromShared = decoder.operand(1).kind != ptx::Operand::Kind::vector;
  const bool isInteger = isIntegerOperand(form.typeA);
  const bool transposes = bits(form.typeA) == 16;
  const size_t scales = isInteger ? 0 : 2;
  const size_t transpositions = transposes ? (fromShared ? 2 : 1) : 0;
  const size_t afterB = form.sparse ? 5 : 3; // where scale-d stands
  decoder.expectOperands(afterB + 1 + scales + transpositions);
  form.d =
      fragment(decoder, decoder.operand(0),
               shape.n / (form.typeD == MatrixType::f16 ? 4 : 2), true, "D");
  form.rangesD = rangesOf(form.d);
  if (fromShared) {
    made->descriptorA = decoder.source(decoder.operand(1), ptx::Type::b64);
  } else {
    form.a = fragment(decoder, decoder.operand(1), 4, false, "A");
    form.rangesA = rangesOf(form.a);
    if (overlap(form.rangesA, form.rangesD))
      decoder.refuse("a register stands in both A and D");
  }
  made->descriptorB = decoder.source(decoder.operand(2), ptx::Type::b64);
  if (form.sparse)
    takeMetadata(decoder, form);
  made->scaleD =
      decoder.predicateSource(decoder.operand(afterB), made->scaleDNegated);
  if (scales)
    form.negate = choice(decoder, afterB + 1, 1, -1, "imm-scale-a") !=
                  choice(decoder, afterB + 2, 1, -1, "imm-scale-b");
  if (transposes && fromShared)
    form.transposeA = choice(decoder, afterB + 3, 0, 1, "imm-trans-a");
  if (transposes)
    form.transposeB =
        choice(decoder, afterB + (fromShared ? 4 : 3), 0, 1, "imm-trans-b");
  findWriters(decoder, form);
  return made;
}

} // namespace ashlar::sim
