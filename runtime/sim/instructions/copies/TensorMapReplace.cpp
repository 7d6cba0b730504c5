// tensormap.replace and tensormap.cp_fenceproxy: tensor maps made or changed by
// the kernel.
#include "runtime/sim/instructions/copies/Copies.h"
#include "runtime/sim/instructions/copies/CopyOperands.h"
#include "runtime/sim/machine/Cluster.h"

#include <cstring>

namespace ashlar::sim {

namespace {

using ptx::StateSpace;
using ptx::Type;

enum class MapField : uint8_t {
  // clang-format off
  globalAddress, rank, boxDim, globalDim, globalStride, elementStride, elemtype,
  interleaveLayout, swizzleMode, fillMode,
  // clang-format on
};

/// How PTX numbers element types, which is not how the driver does.
constexpr TensorElement elementOf[tensorElementCount] = {
    TensorElement::u8,     TensorElement::u16,  TensorElement::u32,
    TensorElement::s32,    TensorElement::u64,  TensorElement::s64,
    TensorElement::f16,    TensorElement::f32,  TensorElement::f32Ftz,
    TensorElement::f64,    TensorElement::bf16, TensorElement::tf32,
    TensorElement::tf32Ftz};

constexpr unsigned chunkBytes = 16; // a map is read and written in these
constexpr unsigned chunks = tensorMapBytes / chunkBytes;

using MapWords = std::array<uint64_t, 16>;

LaneAddresses advanced(const LaneAddresses &addresses, uint64_t by) {
  LaneAddresses result = addresses;
  for (uint64_t &address : result)
    address += by;
  return result;
}

MapWords loadMap(Warp &warp, unsigned lane, StateSpace space,
                 const LaneAddresses &at) {
  const LaneMask self = LaneMask(1) << lane;
  MapWords words;
  for (unsigned i = 0; i < chunks; ++i) {
    alignas(16) std::array<uint64_t, 2 * warpLanes> values;
    warp.load(self, space, advanced(at, i * chunkBytes), chunkBytes,
              values.data(), chunkBytes);
    words[2 * i] = values[2 * lane];
    words[2 * i + 1] = values[2 * lane + 1];
  }
  return words;
}

void storeMap(Warp &warp, unsigned lane, StateSpace space,
              const LaneAddresses &at, const MapWords &words, Scope scope) {
  const LaneMask self = LaneMask(1) << lane;
  for (unsigned i = 0; i < chunks; ++i) {
    alignas(16) std::array<uint64_t, 2 * warpLanes> values;
    values[2 * lane] = words[2 * i];
    values[2 * lane + 1] = words[2 * i + 1];
    warp.store(self, space, advanced(at, i * chunkBytes), chunkBytes,
               values.data(), chunkBytes, scope);
  }
}

class ReplaceField final : public Instruction {
public:
  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses at = warp.addresses(active, address);
    forEachLane(active, [&](unsigned lane) {
      checkMultiple(warp, lane, "the tensor map's address", at[lane],
                    tensorMapBytes);
      MapWords words = loadMap(warp, lane, space, at);
      TensorMap map;
      if (auto problem = unpackTensorMap(words.data(), map, true))
        warp.stop(Finding::invalidTensorMap,
                  "the tensor map that is changed at " + hexadecimal(at[lane]) +
                      " is invalid: " + *problem +
                      ". Start from a map of the host's or from zeros",
                  "changes it", static_cast<int>(lane));
      replace(map, warp.bits(value, lane));
      packTensorMap(words.data(), map);
      storeMap(warp, lane, space, at, words, Scope::weak);
    });
    return Step::next;
  }

  void replace(TensorMap &map, uint64_t to) const {
    const auto narrow = static_cast<uint32_t>(to);
    switch (field) {
    case MapField::globalAddress:
      map.address = to;
      break;
    case MapField::rank: // counted from zero
      map.rank = narrow == ~0u ? narrow : narrow + 1;
      break;
    case MapField::boxDim:
      map.box[ordinal] = narrow;
      break;
    case MapField::globalDim:
      map.extents[ordinal] = narrow;
      break;
    case MapField::globalStride:
      map.strideBytes[ordinal] = to;
      break;
    case MapField::elementStride:
      map.elementStrides[ordinal] = narrow;
      break;
    case MapField::elemtype:
      map.element = static_cast<uint32_t>(elementOf[narrow]);
      break;
    case MapField::interleaveLayout:
      map.interleave = narrow;
      break;
    case MapField::swizzleMode:
      map.swizzle = narrow;
      break;
    case MapField::fillMode:
      map.fill = narrow;
      break;
    }
  }

  AddressOperand address;
  StateSpace space = StateSpace::generic;
  MapField field = MapField::globalAddress;
  unsigned ordinal = 0;
  Slot value;
};

/// An operand that must be a constant from 0 to `last`.
unsigned constantUpTo(Decoder &decoder, size_t operand, int64_t last) {
  const int64_t value = decoder.immediate(decoder.operand(operand));
  if (value < 0 || value > last)
    decoder.refuse("operand " + std::to_string(operand + 1) + " is " +
                   std::to_string(value) + "; it must be 0 to " +
                   std::to_string(last));
  return static_cast<unsigned>(value);
}

StateSpace takeSpace(Decoder &decoder) {
  switch (decoder.modifiers.takeOneOf({"global", "shared::cta"})) {
  case 0:
    return StateSpace::global;
  case 1:
    return StateSpace::shared;
  default:
    return StateSpace::generic;
  }
}

/// The greatest constant of the fields that take one, -1 for the others.
int64_t lastConstant(MapField field) {
  switch (field) {
  case MapField::elemtype:
    return tensorElementCount - 1;
  case MapField::interleaveLayout:
    return 2;
  case MapField::swizzleMode:
    return 3;
  case MapField::fillMode:
    return 1;
  default:
    return -1;
  }
}

class CopyMap final : public Instruction {
public:
  // All lanes ask for the same; the lowest does it. It is a release: what the
  // lanes did before is known to whoever sees the map, and the map to TMA where
  // it is acquired.
  Step execute(Warp &warp, LaneMask active) const override {
    const auto lane = static_cast<unsigned>(std::countr_zero(active));
    const LaneAddresses to = warp.addresses(active, destination),
                        from = warp.addresses(active, source);
    forEachLane(active, [&](unsigned each) {
      if (to[each] != to[lane] || from[each] != from[lane])
        warp.stop(Finding::divergent,
                  "the lanes of the warp give tensormap.cp_fenceproxy "
                  "different addresses; they must be the same",
                  "copies a tensor map", static_cast<int>(each));
    });
    checkMultiple(warp, lane, "the destination of tensormap.cp_fenceproxy",
                  to[lane], tensorMapBytes);
    checkMultiple(warp, lane, "the source of tensormap.cp_fenceproxy",
                  from[lane], tensorMapBytes);
    warp.synchroniseLanes(active);
    const MapWords words = loadMap(warp, lane, StateSpace::shared, from);
    warp.fence(active);
    storeMap(warp, lane, StateSpace::global, to, words, scope);
    warp.releaseTensorMaps(LaneMask(1) << lane);
    warp.synchroniseLanes(active);
    return Step::next;
  }

  AddressOperand destination, source;
  Scope scope = Scope::gpu;
};

} // namespace

Decoded decodeTensorMapReplace(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto replace = std::make_unique<ReplaceField>();
  if (!modifiers.take("tile"))
    decoder.refuse("the mode must be .tile");
  const int field =
      modifiers.takeOneOf({"global_address", "rank", "box_dim", "global_dim",
                           "global_stride", "element_stride", "elemtype",
                           "interleave_layout", "swizzle_mode", "fill_mode"});
  if (field < 0)
    decoder.refuse(modifiers.next() == "swizzle_atomicity"
                       ? "'.swizzle_atomicity' needs sm_100"
                       : "the field is missing or not known");
  replace->field = static_cast<MapField>(field);
  replace->space = takeSpace(decoder);
  const bool isWide = replace->field == MapField::globalAddress ||
                      replace->field == MapField::globalStride;
  if (!modifiers.take("b1024") || !modifiers.take(isWide ? "b64" : "b32"))
    decoder.refuse(isWide ? "the types must be .b1024.b64 for this field"
                          : "the types must be .b1024.b32 for this field");
  const bool hasOrdinal = replace->field >= MapField::boxDim &&
                          replace->field <= MapField::elementStride;
  decoder.expectOperands(hasOrdinal ? 3 : 2);
  if (replace->space == StateSpace::generic)
    replace->address = decoder.address(decoder.operand(0));
  else
    replace->address = addressIn(decoder, 0, replace->space);
  if (hasOrdinal)
    replace->ordinal = constantUpTo(decoder, 1, maxTensorRank - 1);
  const size_t value = hasOrdinal ? 2 : 1;
  if (const int64_t last = lastConstant(replace->field); last >= 0)
    constantUpTo(decoder, value, last);
  replace->value =
      decoder.source(decoder.operand(value), isWide ? Type::b64 : Type::b32);
  return replace;
}

Decoded decodeTensorMapCopy(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  auto copy = std::make_unique<CopyMap>();
  const bool isKnown =
      modifiers.take("global") && modifiers.take("shared::cta") &&
      modifiers.take("tensormap::generic") && modifiers.take("release");
  if (!isKnown)
    decoder.refuse("it must be '.global.shared::cta.tensormap::generic."
                   "release'");
  const int scope = modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"});
  if (scope < 0)
    decoder.refuse("the scope (.cta, .cluster, .gpu, .sys) is missing");
  constexpr Scope scopes[] = {Scope::cta, Scope::cluster, Scope::gpu,
                              Scope::system};
  copy->scope = scopes[scope];
  if (!modifiers.take("sync") || !decoder.takeAligned())
    decoder.refuse("'.sync.aligned' is missing");
  decoder.expectOperands(3);
  copy->destination = addressIn(decoder, 0, StateSpace::global);
  copy->source = addressIn(decoder, 1, StateSpace::shared);
  if (decoder.immediate(decoder.operand(2)) !=
      static_cast<int64_t>(tensorMapBytes))
    decoder.refuse("the size must be 128");
  return copy;
}

} // namespace ashlar::sim
