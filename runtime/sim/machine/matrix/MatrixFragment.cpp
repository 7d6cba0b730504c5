#include "runtime/sim/machine/matrix/MatrixFragment.h"

#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/numbers/Formats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ashlar::sim {

namespace {

template <class Word>
void gatherWords(Warp &warp, std::span<const Slot> registers, unsigned halves,
                 unsigned rowBytes, uint8_t *out) {
  for (size_t i = 0; i < registers.size(); ++i) {
    const Word *values = warp.lanes<Word>(registers[i]);
    uint8_t *stretch = out + (i / halves) * 4 * sizeof(Word) +
                       (i % halves) * size_t(8) * rowBytes;
    for (unsigned row = 0; row < 8; ++row)
      std::memcpy(stretch + size_t(row) * rowBytes, values + size_t(4) * row,
                  4 * sizeof(Word));
  }
}

} // namespace

void gatherRows(Warp &warp, std::span<const Slot> registers, unsigned halves,
                unsigned rowBytes, uint8_t *out) {
  if (registers.front().laneBytes == 8)
    gatherWords<uint64_t>(warp, registers, halves, rowBytes, out);
  else
    gatherWords<uint32_t>(warp, registers, halves, rowBytes, out);
}

template <class T>
void loadAccumulator(Warp &warp, std::span<const Slot> registers,
                     MatrixType type, T *out) {
  for (Slot slot : registers) {
    if constexpr (std::is_same_v<T, float>)
      if (type == MatrixType::f16) {
        const uint32_t *pairs = warp.lanes<uint32_t>(slot);
        for (unsigned lane = 0; lane < warpLanes; ++lane) {
          out[lane] = f16ToFloat(static_cast<uint16_t>(pairs[lane]));
          out[warpLanes + lane] =
              f16ToFloat(static_cast<uint16_t>(pairs[lane] >> 16));
        }
        out += 2 * warpLanes;
        continue;
      }
    std::memcpy(out, warp.lanes<T>(slot), warpLanes * sizeof(T));
    out += warpLanes;
  }
}

template <class T>
void storeAccumulator(Warp &warp, std::span<const Slot> registers,
                      MatrixType type, const T *in) {
  for (Slot slot : registers) {
    if constexpr (std::is_same_v<T, float>)
      if (type == MatrixType::f16) {
        uint32_t *pairs = warp.lanes<uint32_t>(slot);
        for (unsigned lane = 0; lane < warpLanes; ++lane)
          pairs[lane] = floatToF16(in[lane]) |
                        uint32_t(floatToF16(in[warpLanes + lane])) << 16;
        in += 2 * warpLanes;
        continue;
      }
    T *lanes = warp.lanes<T>(slot);
    if constexpr (std::is_same_v<T, float>)
      for (unsigned lane = 0; lane < warpLanes; ++lane)
        lanes[lane] = in[lane] == in[lane]
                          ? in[lane]
                          : std::bit_cast<float>(canonicalNan32);
    else
      std::memcpy(lanes, in, warpLanes * sizeof(T));
    in += warpLanes;
  }
}

template void loadAccumulator(Warp &, std::span<const Slot>, MatrixType,
                              float *);
template void loadAccumulator(Warp &, std::span<const Slot>, MatrixType,
                              int32_t *);
template void loadAccumulator(Warp &, std::span<const Slot>, MatrixType,
                              double *);
template void storeAccumulator(Warp &, std::span<const Slot>, MatrixType,
                               const float *);
template void storeAccumulator(Warp &, std::span<const Slot>, MatrixType,
                               const int32_t *);
template void storeAccumulator(Warp &, std::span<const Slot>, MatrixType,
                               const double *);

void addSaturated(const int32_t *value, int32_t *product, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    product[i] = static_cast<int32_t>(std::clamp<int64_t>(
        int64_t(value[i]) + product[i], std::numeric_limits<int32_t>::min(),
        std::numeric_limits<int32_t>::max()));
}

} // namespace ashlar::sim
