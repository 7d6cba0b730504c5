#include "runtime/sim/machine/copies/TileElements.h"

#include "runtime/sim/machine/numbers/Formats.h"

#include <cstring>

namespace ashlar::sim {

namespace {

/// The NaN of f16 and bf16 that TMA fills with; repeated, it is one of the
/// wider types as well, and is what an H200 fills those with.
constexpr uint16_t fillNan = 0x7ff7;

/// To tf32, nearest even, subnormals included; a NaN becomes the one that has
/// all bits of tf32. So the H200 loads tf32 and tf32.ftz, which differ in
/// nothing; f32.ftz are loaded as they are.
uint32_t roundToTf32(uint32_t value) {
  constexpr unsigned dropped = 13;
  constexpr uint32_t mask = (1u << dropped) - 1;
  constexpr uint32_t infinity = 0x7f80'0000, signBit = 0x8000'0000;
  if ((value & ~signBit) > infinity)
    return canonicalNan32 & ~mask;
  return (value + mask / 2 + (value >> dropped & 1)) & ~mask;
}

} // namespace

void fillElements(uint8_t *at, size_t bytes, const TileLayout &layout) {
  if (!layout.fillsNan) {
    std::memset(at, 0, bytes);
    return;
  }
  for (size_t i = 0; i + sizeof(fillNan) <= bytes; i += sizeof(fillNan))
    std::memcpy(at + i, &fillNan, sizeof(fillNan));
}

void convertElements(uint8_t *at, size_t bytes, TensorElement element) {
  if (element != TensorElement::tf32 && element != TensorElement::tf32Ftz)
    return;
  for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += sizeof(uint32_t)) {
    uint32_t value;
    std::memcpy(&value, at + i, sizeof(value));
    value = roundToTf32(value);
    std::memcpy(at + i, &value, sizeof(value));
  }
}

} // namespace ashlar::sim
