// ld, ldu and st (PTX ISA, "Data Movement and Conversion Instructions").
#include "runtime/sim/instructions/memory/Memory.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/memory/MemoryQualifiers.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <cstring>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;
using ptx::Type;
using Semantics = MemoryQualifiers::Semantics;

/// 256 bits for each lane, the widest access.
struct alignas(64) LaneBytes {
  std::array<uint8_t, size_t(32) * warpLanes> bytes;
};

struct Wide {
  uint64_t low, high;
};

/// Calls body.operator()<Element, Register>() for the widths; a register holds
/// 2 bytes at least.
template <class Body>
void forWidths(unsigned elementBytes, unsigned registerBytes, Body body) {
  auto withElement = [&]<class Element>() {
    switch (registerBytes) {
    case 2:
      return body.template operator()<Element, uint16_t>();
    case 4:
      return body.template operator()<Element, uint32_t>();
    case 8:
      return body.template operator()<Element, uint64_t>();
    }
  };
  switch (elementBytes) {
  case 1:
    return withElement.template operator()<uint8_t>();
  case 2:
    return withElement.template operator()<uint16_t>();
  case 4:
    return withElement.template operator()<uint32_t>();
  case 8:
    return withElement.template operator()<uint64_t>();
  }
}

/// Registers of one access, and how a value in memory relates to them.
struct Elements {
  std::vector<Slot> slots;
  unsigned elementBytes = 0;
  bool isSigned = false;

  unsigned sizeBytes() const {
    return elementBytes * static_cast<unsigned>(slots.size());
  }
  /// The bytes of memory are those of one register: no need to copy twice.
  bool isDirect() const {
    return slots.size() == 1 && slots[0].laneBytes == elementBytes;
  }

  void toRegisters(Warp &warp, LaneMask active, const LaneBytes &from) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      const uint8_t *bytes = from.bytes.data() + i * elementBytes;
      if (elementBytes == 16) {
        auto *to = warp.lanes<Wide>(slots[i]);
        forEachLane(active, [&](unsigned lane) {
          std::memcpy(&to[lane], bytes + lane * sizeBytes(), sizeof(Wide));
        });
        continue;
      }
      forWidths(elementBytes, slots[i].laneBytes,
                [&]<class Element, class Register>() {
                  extend<Element, Register>(warp.lanes<Register>(slots[i]),
                                            active, bytes);
                });
    }
  }

  void fromRegisters(Warp &warp, LaneMask active, LaneBytes &to) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      uint8_t *bytes = to.bytes.data() + i * elementBytes;
      if (elementBytes == 16) {
        const auto *from = warp.lanes<Wide>(slots[i]);
        forEachLane(active, [&](unsigned lane) {
          std::memcpy(bytes + lane * sizeBytes(), &from[lane], sizeof(Wide));
        });
        continue;
      }
      forWidths(elementBytes, slots[i].laneBytes,
                [&]<class Element, class Register>() {
                  const auto *from = warp.lanes<Register>(slots[i]);
                  forEachLane(active, [&](unsigned lane) {
                    const auto value = static_cast<Element>(from[lane]);
                    std::memcpy(bytes + lane * sizeBytes(), &value,
                                sizeof value);
                  });
                });
    }
  }

private:
  template <class Element, class Register>
  void extend(Register *to, LaneMask active, const uint8_t *bytes) const {
    using SignedElement = std::make_signed_t<Element>;
    const unsigned stride = sizeBytes();
    forEachLane(active, [&](unsigned lane) {
      Element value;
      std::memcpy(&value, bytes + lane * stride, sizeof value);
      to[lane] = isSigned
                     ? static_cast<Register>(static_cast<SignedElement>(value))
                     : static_cast<Register>(value);
    });
  }
};

/// Strong accesses to memory that other threads see hold its lock until their
/// order is settled.
std::unique_lock<std::recursive_mutex> lockFor(Warp &warp, bool isStrong) {
  return isStrong ? std::unique_lock(warp.cluster.launch.memory.lock)
                  : std::unique_lock<std::recursive_mutex>();
}

struct Load final : Instruction {
  MemoryOperand from;
  Elements to;
  Scope scope = Scope::weak;
  Order order = Order::relaxed;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses addresses = from.addresses(warp, active);
    const unsigned size = to.sizeBytes();
    // A guess races with no atomic operation, but orders nothing either.
    const Scope checked =
        traits.guesses && scope == Scope::weak ? Scope::gpu : scope;
    auto lock = lockFor(warp, scope != Scope::weak);
    if (to.isDirect()) {
      warp.load(active, from.space, addresses, size,
                warp.lanes<uint8_t>(to.slots[0]), size, checked);
    } else {
      LaneBytes bytes;
      warp.load(active, from.space, addresses, size, bytes.bytes.data(), size,
                checked);
      to.toRegisters(warp, active, bytes);
    }
    if (scope != Scope::weak)
      warp.observe(active, from.space, addresses, order);
    return Step::next;
  }
};

struct Store final : Instruction {
  MemoryOperand to;
  Elements from;
  Scope scope = Scope::weak;
  Order order = Order::relaxed;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses addresses = to.addresses(warp, active);
    const unsigned size = from.sizeBytes();
    auto lock = lockFor(warp, scope != Scope::weak);
    if (from.isDirect()) {
      warp.store(active, to.space, addresses, size,
                 warp.lanes<uint8_t>(from.slots[0]), size, scope);
    } else {
      LaneBytes bytes;
      from.fromRegisters(warp, active, bytes);
      warp.store(active, to.space, addresses, size, bytes.bytes.data(), size,
                 scope);
    }
    if (scope != Scope::weak)
      warp.publish(active, to.space, addresses, order,
                   /*readModifyWrite=*/false);
    return Step::next;
  }
};

/// What ld and st have in common.
void checkSemantics(Decoder &decoder, const MemoryQualifiers &qualifiers) {
  const bool needsScope =
      qualifiers.isStrong() && qualifiers.semantics != Semantics::isVolatile;
  const bool hasScope = qualifiers.scope != Scope::weak;
  if (needsScope && !hasScope)
    decoder.refuse("the scope is missing: .cta, .cluster, .gpu or .sys");
  if (!needsScope && hasScope)
    decoder.refuse("a scope stands only with .relaxed, .acquire or .release");
  if (qualifiers.memoryMapped && (qualifiers.semantics != Semantics::relaxed ||
                                  qualifiers.scope != Scope::system))
    decoder.refuse(".mmio needs .relaxed and .sys");
  if (qualifiers.memoryMapped && qualifiers.space != StateSpace::global &&
      qualifiers.space != StateSpace::generic)
    decoder.refuse(".mmio is for global memory");
  if (qualifiers.isStrong() && (qualifiers.space == StateSpace::local ||
                                qualifiers.space == StateSpace::constant ||
                                qualifiers.space == StateSpace::parameter))
    decoder.refuse("memory of this state space has only weak accesses");
  if (qualifiers.isStrong() && !qualifiers.cacheOperator.empty())
    decoder.refuse("a cache operator stands only with weak accesses");
  if (!qualifiers.cacheOperator.empty() && !qualifiers.level1Priority.empty())
    decoder.refuse("a cache operator and a priority of L1 exclude each other");
  const bool isGlobal = qualifiers.space == StateSpace::global ||
                        qualifiers.space == StateSpace::generic;
  if (!isGlobal &&
      (!qualifiers.level1Priority.empty() ||
       !qualifiers.level2Priority.empty() || !qualifiers.prefetchSize.empty()))
    decoder.refuse("cache priorities and prefetch sizes are for global memory");
  if (!qualifiers.operation.empty() || qualifiers.noFlush ||
      qualifiers.completesBytes)
    decoder.refuse("it has a modifier of another instruction");
}

Type checkType(Decoder &decoder, const MemoryQualifiers &qualifiers) {
  if (!qualifiers.type)
    decoder.refuse("the type is missing");
  const Type type = *qualifiers.type;
  switch (type) {
  case Type::b8:
  case Type::b16:
  case Type::b32:
  case Type::b64:
  case Type::b128:
  case Type::u8:
  case Type::u16:
  case Type::u32:
  case Type::u64:
  case Type::s8:
  case Type::s16:
  case Type::s32:
  case Type::s64:
  case Type::f32:
  case Type::f64:
    break;
  default:
    decoder.refuse("memory is not accessed by the type ." +
                   std::string(ptx::name(type)) +
                   ": use a .b type of its width");
  }
  const unsigned size = ptx::sizeBytes(type) * qualifiers.vector;
  // 256 bits at once need .global and elements of 32 bits or more.
  const bool isGlobal = qualifiers.space == StateSpace::global ||
                        qualifiers.space == StateSpace::generic;
  if (qualifiers.vector == 8 && ptx::sizeBytes(type) != 4)
    decoder.refuse(".v8 takes elements of 32 bits");
  if (size > 32 || (size == 32 && (!isGlobal || type == Type::b128)))
    decoder.refuse("the vector is too large: at most 128 bits, or 256 bits of "
                   "global memory");
  if (size != 32 && !qualifiers.level2Priority.empty())
    decoder.refuse("a priority of L2 needs an access of 256 bits; "
                   ".L2::cache_hint is for others");
  return type;
}

template <class Operand>
Elements elements(Decoder &decoder, const ptx::Operand &operand, Type type,
                  unsigned count, Operand slotOf) {
  Elements result;
  result.elementBytes = ptx::sizeBytes(type);
  result.isSigned = ptx::isSigned(type);
  auto texts = decoder.elements(operand);
  if (texts.size() != count ||
      (count > 1 && operand.kind != ptx::Operand::Kind::vector))
    decoder.refuse("the vector operand must have " + std::to_string(count) +
                   (count == 1 ? " element" : " elements"));
  for (const ptx::Operand *text : texts) {
    Slot slot = slotOf(*text);
    if (slot.laneBytes == 0)
      decoder.refuse("a predicate can't be loaded or stored");
    if (slot.laneBytes < result.elementBytes)
      decoder.refuse("a register is narrower than ." +
                     std::string(ptx::name(type)));
    if (result.elementBytes < 16 && slot.laneBytes == 16)
      decoder.refuse("a register of 128 bits needs the type .b128");
    result.slots.push_back(slot);
  }
  return result;
}

Decoded makeLoad(Decoder &decoder, const MemoryQualifiers &qualifiers) {
  checkSemantics(decoder, qualifiers);
  if (qualifiers.semantics == Semantics::release ||
      qualifiers.semantics == Semantics::acquireRelease)
    decoder.refuse("a load can't release: .relaxed or .acquire");
  if (qualifiers.nonCoherent &&
      (qualifiers.space != StateSpace::global || qualifiers.isStrong()))
    decoder.refuse(".nc needs .global and a weak access");
  Type type = checkType(decoder, qualifiers);
  decoder.expectOperands(checkCachePolicy(decoder, qualifiers, 2));
  auto load = std::make_unique<Load>();
  load->from = memoryOperand(decoder, decoder.operand(1), qualifiers);
  if (decoder.operand(0).kind == ptx::Operand::Kind::sink)
    decoder.refuse("the destination `_` stands only in a vector");
  load->to = elements(decoder, decoder.operand(0), type, qualifiers.vector,
                      [&](const ptx::Operand &text) {
                        return decoder.targetAnyWidth(text, type);
                      });
  load->scope = qualifiers.accessScope();
  load->order = qualifiers.order();
  return load;
}

} // namespace

Decoded decodeLoad(Decoder &decoder) {
  return makeLoad(
      decoder, readMemoryQualifiers(decoder, {"ca", "cg", "cs", "lu", "cv"}));
}

// Memory that is the same for all threads and doesn't change: functionally a
// load.
Decoded decodeLoadUniform(Decoder &decoder) {
  MemoryQualifiers qualifiers = readMemoryQualifiers(decoder, {});
  if (qualifiers.space != StateSpace::global &&
      qualifiers.space != StateSpace::generic)
    decoder.refuse("ldu is for global memory");
  if (qualifiers.semantics != Semantics::none || qualifiers.nonCoherent ||
      !qualifiers.level1Priority.empty() || qualifiers.cacheHint ||
      !qualifiers.prefetchSize.empty())
    decoder.refuse("ldu has neither an order nor cache modifiers");
  return makeLoad(decoder, qualifiers);
}

Decoded decodeStore(Decoder &decoder) {
  if (decoder.modifiers.take("async"))
    return decodeStoreAsync(decoder);
  const MemoryQualifiers qualifiers =
      readMemoryQualifiers(decoder, {"wb", "cg", "cs", "wt"});
  checkSemantics(decoder, qualifiers);
  if (qualifiers.semantics == Semantics::acquire ||
      qualifiers.semantics == Semantics::acquireRelease)
    decoder.refuse("a store can't acquire: .relaxed or .release");
  if (qualifiers.nonCoherent || !qualifiers.prefetchSize.empty())
    decoder.refuse(".nc and prefetch sizes are for loads");
  if (qualifiers.space == StateSpace::constant)
    decoder.refuse("constant memory can't be written");
  Type type = checkType(decoder, qualifiers);
  decoder.expectOperands(checkCachePolicy(decoder, qualifiers, 2));
  auto store = std::make_unique<Store>();
  store->to = memoryOperand(decoder, decoder.operand(0), qualifiers);
  if (store->to.space == StateSpace::parameter)
    decoder.refuse("the parameters of a kernel can't be written");
  if (store->to.space == StateSpace::constant)
    decoder.refuse("constant memory can't be written");
  store->from = elements(decoder, decoder.operand(1), type, qualifiers.vector,
                         [&](const ptx::Operand &text) {
                           return decoder.sourceAnyWidth(text, type);
                         });
  decoder.traits.signals = qualifiers.isStrong();
  store->scope = qualifiers.accessScope();
  store->order = qualifiers.order();
  return store;
}

void addMemoryInstructions(OpcodeTable &table) {
  table.add("ld", decodeLoad);
  table.add("ldu", decodeLoadUniform);
  table.add("st", decodeStore);
  table.add("prefetch", decodePrefetch);
  table.add("prefetchu", decodePrefetchUniform);
  table.add("discard", decodeDiscard);
  table.add("applypriority", decodeApplyPriority);
  table.add("createpolicy", decodeCreatePolicy);
  table.add("multimem", refuseMultimem);
  addAtomicInstructions(table);
}

} // namespace ashlar::sim
