// mma.sync and mma.sp (PTX ISA, "Warp Level Matrix Multiply-Accumulate
// Instructions").

#include "runtime/sim/instructions/matrix/Mma.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/machine/matrix/MatrixFragment.h"
#include "runtime/sim/machine/matrix/MatrixProduct.h"
#include "runtime/sim/machine/matrix/SparseMatrix.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

namespace ashlar::sim {

namespace {

constexpr unsigned maxRows = 16, columns = 8;
constexpr unsigned maxRowBytes = 128; // f64 with k 16

/// The products of all types but b1: T is what they are widened to.
template <class T> struct MultiplyValues final : MmaMultiply {
  bool saturate = false;

  Step execute(Warp &warp, LaneMask) const override {
    alignas(64) std::array<uint8_t, maxRows * maxRowBytes> packed;
    constexpr unsigned maxDepth = sizeof(T) == 8 ? 16 : 128;
    std::array<T, maxRows * maxDepth> wideA;
    std::array<T, columns * maxDepth> rowsB, wideB;
    const unsigned rowBytes = k * bits(typeA) / 8;
    gatherA(warp, packed.data());
    widen(typeA, packed.data(), wideA.data(), size_t(8) * halves * k);
    gatherRows(warp, b, 1, rowBytes, packed.data());
    widen(typeB, packed.data(), rowsB.data(), size_t(columns) * k);
    arrangeColumns(rowsB.data(), wideB.data(), columns, k);

    std::array<T, maxRows * columns> sums{}, values;
    loadAccumulator(warp, c, typeC, values.data());
    if (!saturate)
      sums = values;
    multiplyAdd(sums.data(), wideA.data(), wideB.data(), halves, 1, k);
    if constexpr (std::is_same_v<T, int32_t>)
      if (saturate)
        addSaturated(values.data(), sums.data(), 8 * halves * columns);
    storeAccumulator(warp, d, typeD, sums.data());
    return Step::next;
  }
};

struct MultiplyBits final : MmaMultiply {
  bool conjunction = false;

  Step execute(Warp &warp, LaneMask) const override {
    std::array<uint32_t, maxRows * 8> rowsA;
    std::array<uint32_t, columns * 8> rowsB;
    const unsigned rowBytes = k / 8;
    gatherRows(warp, a, halves, rowBytes,
               reinterpret_cast<uint8_t *>(rowsA.data()));
    gatherRows(warp, b, 1, rowBytes, reinterpret_cast<uint8_t *>(rowsB.data()));
    std::array<int32_t, maxRows * columns> sums;
    loadAccumulator(warp, c, typeC, sums.data());
    multiplyAddBits(sums.data(), rowsA.data(), rowsB.data(), halves, 1, k / 32,
                    conjunction);
    storeAccumulator(warp, d, typeD, sums.data());
    return Step::next;
  }
};

struct Form {
  MatrixShape shape;
  std::initializer_list<MatrixType> operands;
  /// A and B may differ, within `operands`.
  bool mixes = false;
};

using enum MatrixType;
const Form forms[] = {
    {{16, 8, 8}, {f16, bf16, tf32}},
    {{16, 8, 16}, {f16, bf16}},
    {{16, 8, 4}, {tf32}},
    {{16, 8, 16}, {e4m3, e5m2}, true},
    {{16, 8, 32}, {e4m3, e5m2}, true},
    {{8, 8, 16}, {s8, u8}, true},
    {{16, 8, 16}, {s8, u8}, true},
    {{16, 8, 32}, {s8, u8}, true},
    {{8, 8, 32}, {s4, u4}, true},
    {{16, 8, 32}, {s4, u4}, true},
    {{16, 8, 64}, {s4, u4}, true},
    {{8, 8, 128}, {b1}},
    {{16, 8, 128}, {b1}},
    {{16, 8, 256}, {b1}},
    {{8, 8, 4}, {f64}},
    {{16, 8, 4}, {f64}},
    {{16, 8, 8}, {f64}},
    {{16, 8, 16}, {f64}},
};

const Form sparseForms[] = {
    {{16, 8, 16}, {f16, bf16, tf32}},
    {{16, 8, 32}, {f16, bf16}},
    {{16, 8, 8}, {tf32}},
    {{16, 8, 64}, {e4m3, e5m2}, true},
    {{16, 8, 32}, {s8, u8}, true},
    {{16, 8, 64}, {s8, u8}, true},
    {{16, 8, 64}, {s4, u4}, true},
    {{16, 8, 128}, {s4, u4}, true},
};

void checkForm(Decoder &decoder, const MmaMultiply &form, MatrixShape shape) {
  auto holds = [](const Form &each, MatrixType type) {
    return std::find(each.operands.begin(), each.operands.end(), type) !=
           each.operands.end();
  };
  const std::span<const Form> all =
      form.sparse ? std::span<const Form>(sparseForms) : forms;
  const bool known = std::any_of(all.begin(), all.end(), [&](const Form &each) {
    return each.shape == shape && holds(each, form.typeA) &&
           holds(each, form.typeB) && (each.mixes || form.typeA == form.typeB);
  });
  if (!known)
    decoder.refuse(std::string("sm_90a has no ") +
                   (form.sparse ? "mma.sp" : "mma") + " of this shape for ." +
                   std::string(name(form.typeA)) + " and ." +
                   std::string(name(form.typeB)));
  const bool isInteger = isIntegerOperand(form.typeA);
  const bool takesHalf = form.typeA == f16 || isEightBitFloat(form.typeA);
  const bool fits = isInteger           ? form.typeD == s32
                    : form.typeA == f64 ? form.typeD == f64
                    : form.typeD == f16 ? takesHalf
                                        : form.typeD == f32;
  if (!fits || form.typeC != form.typeD)
    decoder.refuse("products of ." + std::string(name(form.typeA)) +
                   " are not accumulated from ." +
                   std::string(name(form.typeC)) + " to ." +
                   std::string(name(form.typeD)));
}

void takeMetadata(Decoder &decoder, MmaMultiply &form) {
  form.metadata = decoder.source(decoder.operand(4), ptx::Type::b32);
  const int64_t selector = decoder.immediate(decoder.operand(5));
  const unsigned lanes =
      metadataLanes(form.typeA, form.k * bits(form.typeA) / 8);
  if (selector < 0 || selector >= 4 / lanes)
    decoder.refuse("the sparsity selector is " + std::to_string(selector) +
                   "; with this shape it is less than " +
                   std::to_string(4 / lanes));
  form.selector = static_cast<unsigned>(selector);
}

template <class Made>
Decoded complete(Decoder &decoder, std::unique_ptr<Made> made,
                 const MmaMultiply &types, MatrixShape shape) {
  made->typeA = types.typeA;
  made->typeB = types.typeB;
  made->typeC = types.typeC;
  made->typeD = types.typeD;
  made->halves = shape.m / 8;
  made->k = shape.k;
  const unsigned laneBits = 4 * (types.typeA == f64 ? 64 : 32);
  const unsigned stretches = shape.k * bits(types.typeA) / laneBits;
  made->sparse = types.sparse;
  made->orderedMetadata = types.orderedMetadata;
  const unsigned accumulators =
      accumulatorRegisters(types.typeC, made->halves, 1);
  takeMmaRegisters(decoder, *made,
                   stretches * made->halves / (made->sparse ? 2 : 1), stretches,
                   accumulators, accumulators);
  if (made->sparse)
    takeMetadata(decoder, *made);
  return made;
}

struct Types final : MmaMultiply {
  Step execute(Warp &, LaneMask) const override { return Step::next; }
};

Decoded decodeMma(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  Types types;
  types.orderedMetadata = modifiers.take("sp::ordered_metadata");
  types.sparse = types.orderedMetadata || modifiers.take("sp");
  takeSyncAligned(decoder);
  const MatrixShape shape = takeShape(decoder);
  const int layoutA = modifiers.takeOneOf({"row", "col"});
  const int layoutB = modifiers.takeOneOf({"col", "row"});
  if (layoutA < 0 || layoutB < 0)
    decoder.refuse("the layouts of A and B (.row.col) are missing");
  bool saturate = modifiers.take("satfinite");
  const bool isQuads =
      shape == MatrixShape{8, 8, 4} && modifiers.next() != "f64";
  if (isQuads) {
    if (saturate)
      decoder.refuse(".satfinite is for integers only");
    return decodeMmaQuads(decoder, layoutA == 1, layoutB == 1);
  }
  if (layoutA != 0 || layoutB != 0)
    decoder.refuse("A must be .row and B .col with this shape and type");
  takeMmaTypes(decoder, types);
  saturate |= modifiers.take("satfinite");
  checkForm(decoder, types, shape);
  const bool isInteger = isIntegerOperand(types.typeA);
  if (saturate && (!isInteger || types.typeA == b1))
    decoder.refuse(".satfinite is for integers of 4 and 8 bits only");
  if (types.typeA == b1) {
    const int operation = modifiers.takeOneOf({"xor", "and"});
    if (operation < 0 || !modifiers.take("popc"))
      decoder.refuse("with .b1 it needs .and.popc or .xor.popc");
    auto made = std::make_unique<MultiplyBits>();
    made->conjunction = operation == 1;
    return complete(decoder, std::move(made), types, shape);
  }
  if (types.typeA == f64)
    return complete(decoder, std::make_unique<MultiplyValues<double>>(), types,
                    shape);
  if (!isInteger)
    return complete(decoder, std::make_unique<MultiplyValues<float>>(), types,
                    shape);
  auto made = std::make_unique<MultiplyValues<int32_t>>();
  made->saturate = saturate;
  return complete(decoder, std::move(made), types, shape);
}

} // namespace

void MmaMultiply::gatherA(Warp &warp, uint8_t *out) const {
  const unsigned rowBytes = k * bits(typeA) / 8;
  if (!sparse)
    return gatherRows(warp, a, halves, rowBytes, out);
  std::array<uint8_t, maxRows * maxRowBytes / 2> packed;
  gatherRows(warp, a, halves, rowBytes / 2, packed.data());
  if (!expandSparse(typeA, packed.data(), warp.lanes<uint32_t>(metadata),
                    selector, rowBytes, orderedMetadata, out))
    warp.report(Finding::other,
                orderedMetadata
                    ? "the metadata of mma.sp::ordered_metadata gives two "
                      "elements one place, or not in ascending order"
                    : "the metadata of mma.sp gives two elements one place",
                "reads the metadata");
}

void takeMmaTypes(Decoder &decoder, MmaMultiply &form) {
  form.typeD = takeMatrixType(decoder);
  form.typeA = takeMatrixType(decoder);
  form.typeB = takeMatrixType(decoder);
  form.typeC = takeMatrixType(decoder);
}

void takeMmaRegisters(Decoder &decoder, MmaMultiply &form, unsigned registersA,
                      unsigned registersB, unsigned registersC,
                      unsigned registersD) {
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(form.sparse ? 6 : 4);
  const auto operandType =
      form.typeA == MatrixType::f64 ? ptx::Type::b64 : ptx::Type::b32;
  form.a = fragment(decoder, decoder.operand(1), registersA, false, "A",
                    operandType);
  form.b = fragment(decoder, decoder.operand(2), registersB, false, "B",
                    operandType);
  form.c = fragment(decoder, decoder.operand(3), registersC, false, "C",
                    operandType);
  form.d =
      fragment(decoder, decoder.operand(0), registersD, true, "D", operandType);
}

void addMatrixMultiply(OpcodeTable &table) { table.add("mma", decodeMma); }

void addMatrixInstructions(OpcodeTable &table) {
  addMatrixMoves(table);
  addMatrixMultiply(table);
  addWmma(table);
}

} // namespace ashlar::sim
