// atom and red (PTX ISA, "Parallel Synchronization and Communication
// Instructions: atom, red").
#include "runtime/sim/instructions/memory/Memory.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/memory/AtomicOperation.h"
#include "runtime/sim/instructions/memory/MemoryQualifiers.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <cstring>

namespace ashlar::sim {
namespace {

using ptx::StateSpace;
using ptx::Type;
using Semantics = MemoryQualifiers::Semantics;

struct Atomic final : Instruction {
  MemoryOperand at;
  AtomicOperation operation;
  /// Old values, new values, and what cas compares with; by element.
  std::vector<Slot> targets, values, compared;
  Scope scope = Scope::gpu;
  Order order = Order::relaxed;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses addresses = at.addresses(warp, active);
    const unsigned elementBytes = operation.sizeBytes();
    const auto count = static_cast<unsigned>(values.size());
    std::lock_guard guard(warp.cluster.launch.memory.lock);
    forEachLane(active, [&](unsigned lane) {
      const bool isShared =
          at.space == StateSpace::shared ||
          (at.space == StateSpace::generic &&
           (addresses[lane] & ~(windowBytes - 1)) == sharedWindow);
      std::array<uint8_t, 32> old;
      auto change = [&](uint8_t *memory) {
        std::memcpy(old.data(), memory, size_t(elementBytes) * count);
        for (unsigned i = 0; i < count; ++i)
          operation.apply(
              memory + i * elementBytes, valueOf(warp, values[i], lane),
              compared.empty() ? nullptr : valueOf(warp, compared[i], lane),
              isShared);
      };
      warp.modify(lane, at.space, addresses[lane], elementBytes * count, scope,
                  std::ref(change));
      for (unsigned i = 0; i < targets.size(); ++i)
        std::memcpy(valueOf(warp, targets[i], lane),
                    old.data() + i * elementBytes, elementBytes);
    });
    warp.publish(active, at.space, addresses, order, /*readModifyWrite=*/true);
    if (!targets.empty())
      warp.observe(active, at.space, addresses, order);
    return Step::next;
  }

private:
  static uint8_t *valueOf(Warp &warp, Slot slot, unsigned lane) {
    return warp.lanes<uint8_t>(slot) + size_t(lane) * slot.laneBytes;
  }
};

void checkModifiers(Decoder &decoder, const MemoryQualifiers &qualifiers,
                    bool isReduction) {
  if (qualifiers.semantics == Semantics::weak ||
      qualifiers.semantics == Semantics::isVolatile || qualifiers.memoryMapped)
    decoder.refuse("an atomic operation is .relaxed" +
                   std::string(isReduction ? " or .release"
                                           : ", .acquire, .release or "
                                             ".acq_rel"));
  if (isReduction && (qualifiers.semantics == Semantics::acquire ||
                      qualifiers.semantics == Semantics::acquireRelease))
    decoder.refuse("red returns nothing and so can't acquire: use .relaxed or "
                   ".release, or atom");
  if (qualifiers.space != StateSpace::generic &&
      qualifiers.space != StateSpace::global &&
      qualifiers.space != StateSpace::shared)
    decoder.refuse("atomic operations are on global or shared memory");
  if (!qualifiers.level1Priority.empty() ||
      !qualifiers.level2Priority.empty() || !qualifiers.prefetchSize.empty() ||
      qualifiers.nonCoherent || qualifiers.completesBytes)
    decoder.refuse("it has a modifier of another instruction");
}

AtomicOperation operationOf(Decoder &decoder,
                            const MemoryQualifiers &qualifiers,
                            bool isReduction) {
  if (qualifiers.operation.empty())
    decoder.refuse("the operation is missing");
  if (!qualifiers.type)
    decoder.refuse("the type is missing");
  auto operation =
      AtomicOperation::named(qualifiers.operation, *qualifiers.type);
  const bool isVector = qualifiers.vector > 1;
  if (!operation ||
      (isReduction && (operation->isExchange() || operation->isCompare())))
    decoder.refuse("there is no operation ." +
                   std::string(qualifiers.operation) + " on the type ." +
                   std::string(ptx::name(*qualifiers.type)));
  if (operation->isHalf() != qualifiers.noFlush)
    decoder.refuse(operation->isHalf()
                       ? ".noftz is missing: 16-bit floats are never flushed"
                       : ".noftz is for 16-bit floats");
  if (isVector && !operation->hasVector(qualifiers.vector))
    decoder.refuse("this operation and type have no vector form of " +
                   std::to_string(qualifiers.vector) + " elements");
  if (isVector && qualifiers.space == StateSpace::shared)
    decoder.refuse("vector forms are for global memory only");
  if (!isVector && operation->needsVector())
    decoder.refuse(".min and .max of 16-bit floats have vector forms only");
  if (operation->isCompare() && qualifiers.cacheHint)
    decoder.refuse(".cas takes no cache hint");
  return *operation;
}

std::vector<const ptx::Operand *> vectorElements(Decoder &decoder, size_t index,
                                                 unsigned count) {
  const ptx::Operand &operand = decoder.operand(index);
  auto result = decoder.elements(operand);
  if (result.size() != count ||
      (count > 1 && operand.kind != ptx::Operand::Kind::vector))
    decoder.refuse("operand " + std::to_string(index + 1) + " must have " +
                   std::to_string(count) +
                   (count == 1 ? " element" : " elements"));
  return result;
}

Decoded decode(Decoder &decoder, bool isReduction) {
  const MemoryQualifiers qualifiers = readMemoryQualifiers(
      decoder, {},
      {"add", "inc", "dec", "min", "max", "and", "or", "xor", "exch", "cas"});
  checkModifiers(decoder, qualifiers, isReduction);
  auto atomic = std::make_unique<Atomic>();
  atomic->operation = operationOf(decoder, qualifiers, isReduction);
  const Type type = *qualifiers.type;
  decoder.traits.signals = !ptx::isFloat(type);
  size_t index = isReduction ? 0 : 1;
  if (!isReduction)
    for (const ptx::Operand *text :
         vectorElements(decoder, 0, qualifiers.vector))
      atomic->targets.push_back(decoder.target(*text, type));
  atomic->at = memoryOperand(decoder, decoder.operand(index++), qualifiers);
  if (atomic->at.space != StateSpace::generic &&
      atomic->at.space != StateSpace::global &&
      atomic->at.space != StateSpace::shared)
    decoder.refuse("atomic operations are on global or shared memory");
  auto sources = [&](std::vector<Slot> &slots) {
    for (const ptx::Operand *text :
         vectorElements(decoder, index, qualifiers.vector))
      slots.push_back(decoder.source(*text, type));
    ++index;
  };
  if (atomic->operation.isCompare())
    sources(atomic->compared);
  sources(atomic->values);
  decoder.expectOperands(checkCachePolicy(decoder, qualifiers, index));
  atomic->scope =
      qualifiers.scope == Scope::weak ? Scope::gpu : qualifiers.scope;
  atomic->order = qualifiers.order();
  return atomic;
}

Decoded decodeAtomic(Decoder &decoder) {
  return decode(decoder, /*isReduction=*/false);
}

Decoded decodeReduction(Decoder &decoder) {
  if (decoder.modifiers.take("async"))
    return decodeReduceAsync(decoder);
  return decode(decoder, /*isReduction=*/true);
}

} // namespace

void addAtomicInstructions(OpcodeTable &table) {
  table.add("atom", decodeAtomic, {.synchronises = true});
  table.add("red", decodeReduction, {.synchronises = true});
}

} // namespace ashlar::sim
