#include "runtime/sim/machine/matrix/WgmmaDescriptor.h"

#include <array>
#include <bit>

namespace ashlar::sim {

namespace {

constexpr uint32_t addressBits = 18;
constexpr uint32_t addressMask = (1u << addressBits) - 1;
constexpr std::array<uint32_t, 4> swizzles = {16, 128, 64, 32};

uint32_t field(uint64_t bits, unsigned low, unsigned count) {
  return static_cast<uint32_t>(bits >> low) & ((1u << count) - 1);
}

} // namespace

WgmmaDescriptor::WgmmaDescriptor(uint64_t bits)
    : start(field(bits, 0, 14) * 16), leading(field(bits, 16, 14) * 16),
      stride(field(bits, 32, 14) * 16), baseOffset(field(bits, 49, 3)),
      swizzleBytes(swizzles[field(bits, 62, 2)]) {}

uint32_t WgmmaDescriptor::chunk(bool kMajor, uint32_t outer,
                                uint32_t inner) const {
  const bool swizzled = swizzleBytes != 16;
  uint32_t address = start;
  if (kMajor) {
    const uint32_t chunksWide = swizzleBytes / 16;
    address += outer % 8 * swizzleBytes + outer / 8 * stride;
    address += inner % chunksWide * 16 + inner / chunksWide * leading;
  } else {
    const uint32_t chunksWide = swizzleBytes / 16;
    address += outer % chunksWide * 16 + inner % 8 * swizzleBytes;
    address += outer / chunksWide * (swizzled ? leading : stride);
    address += inner / 8 * (swizzled ? stride : leading);
  }
  const uint32_t pattern = (address >> 7) - baseOffset;
  return (address ^ (pattern & (swizzleBytes / 16 - 1)) << 4) & addressMask;
}

void WgmmaDescriptor::chunks(bool kMajor, uint32_t first, uint32_t count,
                             uint32_t depth, std::vector<uint32_t> &out) const {
  if (kMajor) {
    for (uint32_t row = first; row < first + count; ++row)
      for (uint32_t inner = 0; inner < depth; ++inner)
        out.push_back(chunk(true, row, inner));
    return;
  }
  for (uint32_t k = 0; k < depth; ++k)
    for (uint32_t group = first / 8; group < (first + count) / 8; ++group)
      out.push_back(chunk(false, group, k));
}

std::string WgmmaDescriptor::text() const {
  return "start shared+" + std::to_string(start) + ", leading offset " +
         std::to_string(leading) + ", stride offset " + std::to_string(stride) +
         " bytes, " +
         (swizzleBytes == 16
              ? "no swizzle"
              : "swizzle of " + std::to_string(swizzleBytes) + " bytes") +
         (baseOffset ? ", base offset " + std::to_string(baseOffset) : "");
}

std::string brokenRule(uint64_t bits) {
  if (field(bits, 14, 2) || field(bits, 30, 2) || field(bits, 46, 3) ||
      field(bits, 52, 10))
    return "bits that are reserved (14-15, 30-31, 46-48 and 52-61) are set: "
           "mask each offset to 14 bits before shifting it into place";
  if (field(bits, 62, 2) == 0 && field(bits, 49, 3) != 0)
    return "a base offset is given without a swizzle, for which it has no "
           "meaning: clear bits 49-51";
  return "";
}

} // namespace ashlar::sim
