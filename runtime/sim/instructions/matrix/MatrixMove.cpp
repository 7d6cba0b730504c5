// ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16-bit elements between
// shared memory and the registers of a warp.
//
// Row r of matrix i lies at the address that lane 8 i + r gives. In a register,
// lane 4 r + c has columns 2 c and 2 c + 1 of row r; with .trans, rows 2 c and
// 2 c + 1 of column r.

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/matrix/MatrixOperands.h"
#include "runtime/sim/machine/Cluster.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ashlar::sim {

namespace {

constexpr unsigned rowsOfMatrix = 8;
constexpr unsigned rowBytes = 16;

/// The 8 x 8 elements as rows.
using Matrix = std::array<std::array<uint16_t, 8>, 8>;
static_assert(std::endian::native == std::endian::little);

void transpose(Matrix &matrix) {
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < row; ++column)
      std::swap(matrix[row][column], matrix[column][row]);
}

void toRegister(const Matrix &matrix, uint32_t *lanes) {
  std::copy_n(reinterpret_cast<const uint8_t *>(&matrix), sizeof matrix,
              reinterpret_cast<uint8_t *>(lanes));
}

void fromRegister(const uint32_t *lanes, Matrix &matrix) {
  std::copy_n(reinterpret_cast<const uint8_t *>(lanes), sizeof matrix,
              reinterpret_cast<uint8_t *>(&matrix));
}

struct SharedMatrices : Instruction {
  std::vector<Slot> matrices;
  AddressOperand address;
  ptx::StateSpace space = ptx::StateSpace::generic;
  bool transposed = false;

  /// The lanes whose addresses count: 8 for each matrix.
  LaneMask addressLanes() const {
    const auto rows = static_cast<unsigned>(matrices.size()) * rowsOfMatrix;
    return rows == warpLanes ? allLanes : (LaneMask(1) << rows) - 1;
  }

  LaneAddresses rowAddresses(Warp &warp, LaneMask lanes) const {
    const LaneAddresses all = warp.addresses(lanes, address);
    if (space == ptx::StateSpace::generic)
      forEachLane(lanes, [&](unsigned lane) {
        if (all[lane] - sharedWindow >= windowBytes)
          warp.stop(Finding::outOfBounds,
                    "the generic address of a matrix row is not in shared "
                    "memory: take the address of a .shared variable",
                    "accesses it", static_cast<int>(lane));
      });
    return all;
  }
};

struct LoadMatrices final : SharedMatrices {
  Step execute(Warp &warp, LaneMask active) const override {
    std::array<Matrix, 4> loaded{};
    const LaneMask lanes = addressLanes() & active;
    warp.load(lanes, space, rowAddresses(warp, lanes), rowBytes, &loaded,
              rowBytes);
    for (size_t i = 0; i < matrices.size(); ++i) {
      if (transposed)
        transpose(loaded[i]);
      toRegister(loaded[i], warp.lanes<uint32_t>(matrices[i]));
    }
    return Step::next;
  }
};

struct StoreMatrices final : SharedMatrices {
  Step execute(Warp &warp, LaneMask active) const override {
    std::array<Matrix, 4> stored{};
    for (size_t i = 0; i < matrices.size(); ++i) {
      fromRegister(warp.lanes<uint32_t>(matrices[i]), stored[i]);
      if (transposed)
        transpose(stored[i]);
    }
    const LaneMask lanes = addressLanes() & active;
    warp.store(lanes, space, rowAddresses(warp, lanes), rowBytes, &stored,
               rowBytes);
    return Step::next;
  }
};

struct TransposeMatrix final : Instruction {
  Slot from, to;
  Step execute(Warp &warp, LaneMask) const override {
    Matrix matrix;
    fromRegister(warp.lanes<uint32_t>(from), matrix);
    transpose(matrix);
    toRegister(matrix, warp.lanes<uint32_t>(to));
    return Step::next;
  }
};

/// .m8n8.{x1,x2,x4}{.trans}{.shared{::cta}}.b16; the number of matrices.
unsigned takeForm(Decoder &decoder, SharedMatrices &made) {
  Modifiers &modifiers = decoder.modifiers;
  takeSyncAligned(decoder);
  if (!modifiers.take("m8n8"))
    decoder.refuse("only shape .m8n8 exists on sm_90a, not '." +
                   std::string(modifiers.next()) + "'");
  const int count = modifiers.takeOneOf({"x1", "x2", "x4"});
  if (count < 0)
    decoder.refuse("the number of matrices, .x1, .x2 or .x4, is missing");
  made.transposed = modifiers.take("trans");
  if (modifiers.takeOneOf({"shared", "shared::cta"}) >= 0)
    made.space = ptx::StateSpace::shared;
  if (!modifiers.take("b16"))
    decoder.refuse("only elements of type .b16 exist on sm_90a");
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(2);
  return 1u << count;
}

Decoded decodeLoad(Decoder &decoder) {
  auto made = std::make_unique<LoadMatrices>();
  const unsigned count = takeForm(decoder, *made);
  made->matrices =
      fragment(decoder, decoder.operand(0), count, true, "the destination");
  made->address = decoder.address(decoder.operand(1));
  return made;
}

Decoded decodeStore(Decoder &decoder) {
  auto made = std::make_unique<StoreMatrices>();
  const unsigned count = takeForm(decoder, *made);
  made->address = decoder.address(decoder.operand(0));
  made->matrices =
      fragment(decoder, decoder.operand(1), count, false, "the source");
  return made;
}

Decoded decodeTranspose(Decoder &decoder) {
  auto made = std::make_unique<TransposeMatrix>();
  takeSyncAligned(decoder);
  if (!decoder.modifiers.take("m8n8") || !decoder.modifiers.take("trans") ||
      !decoder.modifiers.take("b16"))
    decoder.refuse("movmatrix is .sync.aligned.m8n8.trans.b16");
  decoder.expectOperands(2);
  made->to = decoder.target(decoder.operand(0), ptx::Type::b32);
  made->from = decoder.source(decoder.operand(1), ptx::Type::b32);
  return made;
}

} // namespace

void addMatrixMoves(OpcodeTable &table) {
  table.add("ldmatrix", decodeLoad);
  table.add("stmatrix", decodeStore);
  table.add("movmatrix", decodeTranspose);
}

} // namespace ashlar::sim
