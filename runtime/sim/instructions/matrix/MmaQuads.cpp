// mma.sync.m8n8k4 of f16: the only shape with a layout of its own.
#include "runtime/sim/instructions/matrix/Mma.h"
#include "runtime/sim/machine/matrix/MatrixFragment.h"
#include "runtime/sim/machine/matrix/MatrixProduct.h"

#include <array>

namespace ashlar::sim {

namespace {

/// Four products at once, of lanes 4 q to 4 q + 3 and 16 more for each q.
struct MultiplyQuads final : MmaMultiply {
  bool columnMajorA = false, rowMajorB = false;

  /// The element that a lane of the quad holds: its row and column in A, or
  /// column and row in B.
  static std::pair<unsigned, unsigned> element(bool alongLanes, bool high,
                                               unsigned lane, unsigned i) {
    if (alongLanes) // four lanes along K, the elements of one along M or N
      return {i + 4 * high, lane};
    return {lane + 4 * high, i};
  }

  std::pair<unsigned, unsigned> accumulatorElement(MatrixType type, bool high,
                                                   unsigned lane,
                                                   unsigned i) const {
    if (type == MatrixType::f16)
      return {lane + 4 * high, i};
    return {(lane & 1) + (i & 2) + 4 * high, (i & 4) + (lane & 2) + (i & 1)};
  }

  static float half(Warp &warp, const std::vector<Slot> &slots, unsigned lane,
                    unsigned i) {
    const uint32_t pair = warp.lanes<uint32_t>(slots[i / 2])[lane];
    float value = 0;
    const auto packed = static_cast<uint16_t>(pair >> 16 * (i % 2));
    widen(MatrixType::f16, &packed, &value, 1);
    return value;
  }

  Step execute(Warp &warp, LaneMask) const override {
    // [quad][row][column], of all quads before D is written.
    float valuesA[4][8][4], valuesB[4][8][4], sums[4][8][8];
    forEachPart([&](unsigned quad, bool high, unsigned inQuad, unsigned lane) {
      for (unsigned i = 0; i < 4; ++i) {
        const auto [row, stepA] = element(columnMajorA, high, inQuad, i);
        valuesA[quad][row][stepA] = half(warp, a, lane, i);
        const auto [column, stepB] = element(rowMajorB, high, inQuad, i);
        valuesB[quad][column][stepB] = half(warp, b, lane, i);
      }
      for (unsigned i = 0; i < 8; ++i) {
        const auto [row, column] = accumulatorElement(typeC, high, inQuad, i);
        sums[quad][row][column] = typeC == MatrixType::f16
                                      ? half(warp, c, lane, i)
                                      : warp.lanes<float>(c[i])[lane];
      }
    });
    for (unsigned quad = 0; quad < 4; ++quad)
      for (unsigned row = 0; row < 8; ++row)
        for (unsigned column = 0; column < 8; ++column)
          for (unsigned step = 0; step < 4; ++step)
            sums[quad][row][column] +=
                valuesA[quad][row][step] * valuesB[quad][column][step];
    std::array<std::array<float, warpLanes>, 8> results;
    forEachPart([&](unsigned quad, bool high, unsigned inQuad, unsigned lane) {
      for (unsigned i = 0; i < 8; ++i) {
        const auto [row, column] = accumulatorElement(typeD, high, inQuad, i);
        results[i][lane] = sums[quad][row][column];
      }
    });
    storeAccumulator(warp, d, typeD, results.front().data());
    return Step::next;
  }

  template <class Body> static void forEachPart(Body body) {
    for (unsigned lane = 0; lane < warpLanes; ++lane)
      body(lane % 16 / 4, lane >= 16, lane % 4, lane);
  }
};

} // namespace

Decoded decodeMmaQuads(Decoder &decoder, bool columnMajorA, bool rowMajorB) {
  using enum MatrixType;
  auto made = std::make_unique<MultiplyQuads>();
  made->columnMajorA = columnMajorA;
  made->rowMajorB = rowMajorB;
  takeMmaTypes(decoder, *made);
  if (made->typeA != f16 || made->typeB != f16)
    decoder.refuse("shape .m8n8k4 is for .f16 and .f64 only");
  const auto isAccumulator = [](MatrixType type) {
    return type == f16 || type == f32;
  };
  if (!isAccumulator(made->typeC) || !isAccumulator(made->typeD) ||
      (made->typeC == f32 && made->typeD == f16))
    decoder.refuse("C and D are .f16 or .f32, and D .f32 where C is");
  takeMmaRegisters(decoder, *made, 2, 2, made->typeC == f16 ? 4 : 8,
                   made->typeD == f16 ? 4 : 8);
  return made;
}

} // namespace ashlar::sim
