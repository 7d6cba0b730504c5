#include "runtime/sim/machine/copies/TensorMap.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace ashlar::sim {

namespace {

constexpr char magic[8] = {'A', 's', 'h', 'l', 'a', 'r', 'T', 'M'};

struct Packed {
  char magic[8];
  uint32_t checksum;
  uint8_t rankMinusOne, element, interleave, swizzle;
  uint64_t address;
  uint64_t strideBytes[maxTensorRank];
  uint64_t extents[maxTensorRank];
  uint16_t box[maxTensorRank];
  uint8_t elementStrides[maxTensorRank];
  uint8_t l2Promotion, fill;
  uint8_t zeros[7];
};
static_assert(sizeof(Packed) == tensorMapBytes);

struct ElementInfo {
  const char *name;
  uint8_t sizeBytes;
  bool isFloat;
};
constexpr ElementInfo elements[tensorElementCount] = {
    {"u8", 1, false},     {"u16", 2, false},    {"u32", 4, false},
    {"s32", 4, false},    {"u64", 8, false},    {"s64", 8, false},
    {"f16", 2, true},     {"f32", 4, true},     {"f64", 8, true},
    {"bf16", 2, true},    {"f32.ftz", 4, true}, {"tf32", 4, true},
    {"tf32.ftz", 4, true}};

const ElementInfo &info(TensorElement element) {
  return elements[std::min<size_t>(static_cast<size_t>(element),
                                   tensorElementCount - 1)];
}

template <class Narrow> Narrow saturate(uint64_t value) {
  return static_cast<Narrow>(
      std::min<uint64_t>(value, std::numeric_limits<Narrow>::max()));
}

/// The bit of the checksum that others may clear.
constexpr uint32_t freeBit = 1u << 21;

// Fowler, Noll and Vo's hash (FNV-1a): it need only notice accidents.
uint32_t checksumOf(const Packed &packed) {
  uint8_t bytes[tensorMapBytes];
  std::memcpy(bytes, &packed, sizeof(bytes));
  uint32_t hash = 2166136261u;
  for (size_t i = offsetof(Packed, rankMinusOne); i < sizeof(bytes); ++i)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash | freeBit;
}

std::string number(uint64_t value) { return std::to_string(value); }

std::string dimension(unsigned index) {
  return " of dimension " + std::to_string(index) + " ";
}

std::optional<std::string> brokenShapeRule(const TensorMap &map) {
  for (unsigned i = 0; i < map.rank; ++i) {
    if (map.extents[i] == 0 || map.extents[i] > uint64_t(1) << 32)
      return "the extent" + dimension(i) + "is " + number(map.extents[i]) +
             "; it must be 1 to 2^32";
    if (map.box[i] == 0 || map.box[i] > 256)
      return "the box" + dimension(i) + "is " + number(map.box[i]) +
             "; it must be 1 to 256";
    if (map.elementStrides[i] == 0 || map.elementStrides[i] > 8)
      return "the element stride" + dimension(i) + "is " +
             number(map.elementStrides[i]) + "; it must be 1 to 8";
  }
  for (unsigned i = 1; i < map.rank; ++i) {
    const uint64_t stride = map.strideBytes[i - 1];
    if (stride % 16 != 0 || stride >= uint64_t(1) << 40)
      return "the stride" + dimension(i) + "is " + number(stride) +
             " bytes; it must be a multiple of 16 below 2^40";
  }
  return std::nullopt;
}

} // namespace

const char *name(TensorElement element) { return info(element).name; }
uint32_t sizeBytes(TensorElement element) { return info(element).sizeBytes; }
bool isFloat(TensorElement element) { return info(element).isFloat; }

std::optional<std::string> brokenRule(const TensorMap &map) {
  if (map.element >= tensorElementCount)
    return "element type " + number(map.element) +
           " is not one that sm_90 knows (0 to 12)";
  if (map.rank == 0 || map.rank > maxTensorRank)
    return "the rank is " + number(map.rank) + "; it must be 1 to 5";
  if (map.interleave > 2)
    return "interleave " + number(map.interleave) +
           " is unknown; it is 0 (none), 1 (16 bytes) or 2 (32 bytes)";
  if (map.interleave != 0)
    return "the interleaved layout of " + number(16 * map.interleave) +
           " bytes is not simulated yet; use interleave none";
  if (map.swizzle > 3)
    return "swizzle " + number(map.swizzle) +
           " is not one that sm_90 knows (0 none, 1 32, 2 64, 3 128 bytes)";
  if (map.l2Promotion > 3)
    return "L2 promotion " + number(map.l2Promotion) +
           " is unknown; it is 0 to 3";
  if (map.fill > 1)
    return "fill " + number(map.fill) +
           " is unknown; it is 0 (zeros) or 1 "
           "(NaN)";
  if (map.fill == 1 && !isFloat(map.elementType()))
    return std::string("elements of type ") + name(map.elementType()) +
           " can't be filled with NaN; use zeros";
  if (map.address % 16 != 0)
    return "the tensor's address is not a multiple of 16";
  if (auto broken = brokenShapeRule(map))
    return broken;
  const uint64_t innerBytes = uint64_t(map.box[0]) * map.elementBytes();
  if (innerBytes % 16 != 0)
    return "a row of the box has " + number(innerBytes) +
           " bytes; it must be a multiple of 16";
  if (map.swizzle != 0 && innerBytes > map.swizzleBytes())
    return "a row of the box has " + number(innerBytes) +
           " bytes; with the swizzle of " + number(map.swizzleBytes()) +
           " bytes it can have no more than that";
  return std::nullopt;
}

void packTensorMap(uint64_t opaque[16], const TensorMap &map) {
  Packed packed = {};
  std::memcpy(packed.magic, magic, sizeof(magic));
  packed.rankMinusOne = saturate<uint8_t>(uint64_t(map.rank) - 1);
  packed.element = saturate<uint8_t>(map.element);
  packed.interleave = saturate<uint8_t>(map.interleave);
  packed.swizzle = saturate<uint8_t>(map.swizzle);
  packed.address = map.address;
  for (unsigned i = 0; i < maxTensorRank; ++i) {
    packed.strideBytes[i] = map.strideBytes[i];
    packed.extents[i] = map.extents[i];
    packed.box[i] = saturate<uint16_t>(map.box[i]);
    packed.elementStrides[i] = saturate<uint8_t>(map.elementStrides[i]);
  }
  packed.l2Promotion = saturate<uint8_t>(map.l2Promotion);
  packed.fill = saturate<uint8_t>(map.fill);
  packed.checksum = checksumOf(packed);
  std::memcpy(opaque, &packed, sizeof(packed));
}

std::optional<std::string> encodeTensorMap(uint64_t opaque[16],
                                           const TensorMap &map) {
  if (auto broken = brokenRule(map))
    return broken;
  packTensorMap(opaque, map);
  return std::nullopt;
}

std::optional<std::string> unpackTensorMap(const uint64_t opaque[16],
                                           TensorMap &map, bool blankAllowed) {
  Packed packed;
  std::memcpy(&packed, opaque, sizeof(packed));
  const bool isBlank =
      std::all_of(opaque, opaque + 16, [](uint64_t word) { return word == 0; });
  if (!(isBlank && blankAllowed)) {
    if (isBlank)
      return "all its bytes are zero: it was never encoded";
    if (std::memcmp(packed.magic, magic, sizeof(magic)) != 0)
      return "its bytes were not made by cuTensorMapEncodeTiled or "
             "tensormap.replace";
    if ((packed.checksum | freeBit) != checksumOf(packed))
      return "its bytes have been changed by something else than "
             "tensormap.replace";
  }
  map = {};
  map.rank = packed.rankMinusOne + 1u;
  map.element = packed.element;
  map.interleave = packed.interleave;
  map.swizzle = packed.swizzle;
  map.address = packed.address;
  for (unsigned i = 0; i < maxTensorRank; ++i) {
    map.strideBytes[i] = packed.strideBytes[i];
    map.extents[i] = packed.extents[i];
    map.box[i] = packed.box[i];
    map.elementStrides[i] = packed.elementStrides[i];
  }
  map.l2Promotion = packed.l2Promotion;
  map.fill = packed.fill;
  return std::nullopt;
}

} // namespace ashlar::sim
