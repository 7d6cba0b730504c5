// wmma.load, wmma.store and wmma.mma (PTX ISA, "Warp Level Matrix Instructions
// using wmma"). How elements are spread over the registers of a fragment is not
// specified. Here they follow one another: register by register, lane by lane,
// element by element, A and C row by row, B column by column. The fragments of
// f16 operands have room for each element twice; the second half repeats the
// first.

#include "runtime/sim/instructions/matrix/Wmma.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/matrix/MatrixOperands.h"
#include "runtime/sim/machine/Warp.h"

#include <algorithm>

namespace ashlar::sim {

using enum MatrixType;

unsigned WmmaFragment::storedRegisters() const {
  return std::max(1u,
                  rows * columns * bits(type) / (warpLanes * registerBits()));
}

unsigned WmmaFragment::registerCount() const {
  return type == f16 && which != 'c' ? 8 : storedRegisters();
}

namespace {

/// Loads or stores a fragment: each register's elements with one access of all
/// lanes; elements of less than a byte, which are neighbours in memory, all at
/// once.
struct Transfer : Instruction {
  WmmaFragment fragment;
  std::vector<Slot> registers;
  AddressOperand address;
  ptx::StateSpace space = ptx::StateSpace::generic;
  bool columnMajor = false;
  std::optional<Slot> stride; // in elements

  unsigned accessBytes() const {
    return std::max(bits(fragment.type) / 8, bits(fragment.type) < 8 ? 4u : 1u);
  }
  unsigned accessesPerRegister() const {
    return fragment.registerBits() / 8 / accessBytes();
  }

  LaneAddresses elementAddresses(Warp &warp, LaneMask active, unsigned index,
                                 unsigned part) const {
    LaneAddresses all = warp.addresses(active, address);
    const unsigned perRegister = fragment.registerBits() / bits(fragment.type);
    const unsigned perAccess = perRegister / accessesPerRegister();
    const bool innerFirst = fragment.which == 'b' ? columnMajor : !columnMajor;
    forEachLane(active, [&](unsigned lane) {
      const unsigned at =
          (index * warpLanes + lane) * perRegister + part * perAccess;
      const uint64_t outer = at / fragment.columns,
                     inner = at % fragment.columns;
      uint64_t width = innerFirst ? fragment.columns : fragment.rows;
      if (stride)
        width = static_cast<uint32_t>(warp.bits(*stride, lane));
      const uint64_t element =
          innerFirst ? outer * width + inner : inner * width + outer;
      all[lane] += element * bits(fragment.type) / 8;
    });
    return all;
  }

  /// The place of the part in the lanes of a register.
  uint8_t *lanes(Warp &warp, unsigned index, unsigned part) const {
    return warp.lanes<uint8_t>(registers[index]) + part * accessBytes();
  }
};

struct LoadFragment final : Transfer {
  Step execute(Warp &warp, LaneMask active) const override {
    const unsigned stored = fragment.storedRegisters();
    for (unsigned i = 0; i < stored; ++i)
      for (unsigned part = 0; part < accessesPerRegister(); ++part)
        warp.load(active, space, elementAddresses(warp, active, i, part),
                  accessBytes(), lanes(warp, i, part),
                  fragment.registerBits() / 8);
    for (size_t i = stored; i < registers.size(); ++i)
      std::copy_n(warp.lanes<uint32_t>(registers[i - stored]), warpLanes,
                  warp.lanes<uint32_t>(registers[i]));
    return Step::next;
  }
};

struct StoreFragment final : Transfer {
  Step execute(Warp &warp, LaneMask active) const override {
    for (unsigned i = 0; i < fragment.storedRegisters(); ++i)
      for (unsigned part = 0; part < accessesPerRegister(); ++part)
        warp.store(active, space, elementAddresses(warp, active, i, part),
                   accessBytes(), lanes(warp, i, part),
                   fragment.registerBits() / 8);
    return Step::next;
  }
};

/// Takes ".row" or ".col"; true for ".col".
bool takeLayout(Decoder &decoder) {
  const int layout = decoder.modifiers.takeOneOf({"row", "col"});
  if (layout < 0)
    decoder.refuse("a layout, .row or .col, is missing");
  return layout == 1;
}

Decoded decodeTransfer(Decoder &decoder, bool loads) {
  Modifiers &modifiers = decoder.modifiers;
  std::unique_ptr<Transfer> made;
  if (loads)
    made = std::make_unique<LoadFragment>();
  else
    made = std::make_unique<StoreFragment>();
  const int which =
      loads ? modifiers.takeOneOf({"a", "b", "c"}) : modifiers.takeOneOf({"d"});
  if (which < 0)
    decoder.refuse(loads ? "wmma.load is of .a, .b or .c"
                         : "wmma.store is of .d");
  takeSyncAligned(decoder);
  made->columnMajor = takeLayout(decoder);
  const MatrixShape shape = takeShape(decoder);
  if (modifiers.take("global"))
    made->space = ptx::StateSpace::global;
  else if (modifiers.takeOneOf({"shared", "shared::cta"}) >= 0)
    made->space = ptx::StateSpace::shared;
  const MatrixType type = takeMatrixType(decoder);
  decoder.expectNoMoreModifiers();
  made->fragment =
      wmmaFragment(decoder, loads ? "abc"[which] : 'c', shape, type);
  if (bits(type) < 8 && made->columnMajor != (which == 1))
    decoder.refuse("matrices of less than 8 bits are .row for A and .col for "
                   "B");
  decoder.expectOperands(2, 3);
  made->registers = fragment(decoder, decoder.operand(loads ? 0 : 1),
                             made->fragment.registerCount(), loads,
                             "the fragment", made->fragment.registerType());
  made->address = decoder.address(decoder.operand(loads ? 1 : 0));
  if (decoder.operandCount() == 3)
    made->stride = decoder.source(decoder.operand(2), ptx::Type::u32);
  return made;
}

Decoded decodeWmma(Decoder &decoder) {
  const int kind = decoder.modifiers.takeOneOf({"load", "store", "mma"});
  if (kind < 0)
    decoder.refuse("wmma has .load, .store and .mma");
  return kind == 2 ? decodeWmmaMultiply(decoder)
                   : decodeTransfer(decoder, kind == 0);
}

struct WmmaForm {
  MatrixShape shape;
  std::initializer_list<MatrixType> operands, accumulators;
};

const WmmaForm forms[] = {
    {{16, 16, 16}, {f16}, {f16, f32}}, {{8, 32, 16}, {f16}, {f16, f32}},
    {{32, 8, 16}, {f16}, {f16, f32}},  {{16, 16, 16}, {bf16}, {f32}},
    {{8, 32, 16}, {bf16}, {f32}},      {{32, 8, 16}, {bf16}, {f32}},
    {{16, 16, 8}, {tf32}, {f32}},      {{8, 8, 4}, {f64}, {f64}},
    {{16, 16, 16}, {s8, u8}, {s32}},   {{8, 32, 16}, {s8, u8}, {s32}},
    {{32, 8, 16}, {s8, u8}, {s32}},    {{8, 8, 32}, {s4, u4}, {s32}},
    {{8, 8, 128}, {b1}, {s32}},
};

} // namespace

WmmaFragment wmmaFragment(Decoder &decoder, char which, MatrixShape shape,
                          MatrixType type) {
  for (const WmmaForm &form : forms) {
    const auto &types = which == 'c' ? form.accumulators : form.operands;
    if (form.shape == shape &&
        std::find(types.begin(), types.end(), type) != types.end()) {
      if (which == 'a')
        return {which, type, shape.m, shape.k};
      if (which == 'b')
        return {which, type, shape.n, shape.k};
      return {which, type, shape.m, shape.n};
    }
  }
  decoder.refuse("sm_90a has no wmma of this shape with elements of ." +
                 std::string(name(type)));
}

void addWmma(OpcodeTable &table) { table.add("wmma", decodeWmma); }

} // namespace ashlar::sim
