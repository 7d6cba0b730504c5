#include "runtime/sim/instructions/copies/CopyOperands.h"

#include "runtime/sim/machine/Cluster.h"

namespace ashlar::sim {

using ptx::StateSpace;
using ptx::Type;

AddressOperand addressIn(Decoder &decoder, size_t operand, StateSpace space) {
  AddressOperand address = decoder.address(decoder.operand(operand));
  if (!decoder.operand(operand).address->more.empty())
    decoder.refuse("operand " + std::to_string(operand + 1) +
                   " has coordinates; a plain address is needed");
  if (address.namesKernelParameter ||
      (address.symbolSpace != StateSpace::generic &&
       address.symbolSpace != space))
    decoder.refuse("operand " + std::to_string(operand + 1) +
                   " names a variable in another state space than the "
                   "instruction does");
  return address;
}

void CopyOptions::takeModifiers(Decoder &decoder, bool mayMulticast) {
  Modifiers &modifiers = decoder.modifiers;
  cacheHint = modifiers.take("L2::cache_hint");
  if (mayMulticast)
    multicast = modifiers.take("multicast::cluster");
  if (!cacheHint)
    cacheHint = modifiers.take("L2::cache_hint");
  if (modifiers.next().starts_with("cta_group"))
    decoder.refuse("'.cta_group' needs sm_100; sm_90 copies for one CTA");
}

void CopyOptions::takeOperands(Decoder &decoder, size_t first) {
  decoder.expectOperands(first + multicast + cacheHint);
  if (multicast)
    mask = decoder.source(decoder.operand(first++), Type::b16);
  if (cacheHint)
    decoder.source(decoder.operand(first), Type::b64);
}

TensorOperand tensorOperand(Decoder &decoder, size_t index,
                            unsigned dimensions) {
  const ptx::Operand &operand = decoder.operand(index);
  TensorOperand result;
  result.map = decoder.address(operand);
  if (result.map.namesKernelParameter ||
      result.map.symbolSpace == StateSpace::shared ||
      result.map.symbolSpace == StateSpace::local)
    decoder.refuse("the tensor map is given by its generic address: move the "
                   "parameter's address to a register and cvta it");
  const auto &more = operand.address->more;
  if (more.size() != 1 || more[0].kind != ptx::Operand::Kind::vector ||
      more[0].elements.size() != dimensions)
    decoder.refuse("the tensor operand must be [map, {" +
                   std::to_string(dimensions) + " coordinates}]");
  for (const ptx::Operand &coordinate : more[0].elements)
    result.coordinates.push_back(decoder.source(coordinate, Type::s32));
  return result;
}

namespace {

[[noreturn]] void stopForMap(Warp &warp, unsigned lane,
                             const std::string &sentence) {
  warp.stop(Finding::invalidTensorMap, sentence, "uses it",
            static_cast<int>(lane));
}

} // namespace

TensorMap readTensorMap(Warp &warp, unsigned lane, uint64_t address,
                        unsigned dimensions) {
  const std::string map = "the tensor map at " + hexadecimal(address);
  if (address % tensorMapAlignment != 0)
    stopForMap(warp, lane, map + " is not aligned to 64 bytes");
  const Location location = warp.cluster.locate(
      warp.cta, warp.index * warpLanes + lane, StateSpace::generic, address);
  const bool hasKind = location.block &&
                       location.block->kind != MemoryBlock::Kind::shared &&
                       location.block->kind != MemoryBlock::Kind::local;
  if (!hasKind)
    stopForMap(warp, lane,
               map + (location.block
                          ? " is in " + location.block->name +
                                ": it must be in global or constant memory, or "
                                "a parameter of the kernel itself (a copy of "
                                "the parameter on the stack will not do)"
                          : " is in no allocation, parameter or constant"));
  uint64_t opaque[16];
  Accessor accessor = warp.accessor(lane);
  accessor.tensorMap = address;
  warp.cluster.read(location, sizeof(opaque), accessor, opaque,
                    "the TMA reads its tensor map");
  TensorMap result;
  if (auto problem = unpackTensorMap(opaque, result))
    stopForMap(warp, lane, map + " is invalid: " + *problem);
  if (auto problem = brokenRule(result))
    stopForMap(warp, lane, map + " is invalid: " + *problem);
  if (result.rank != dimensions)
    stopForMap(warp, lane,
               map + " has rank " + std::to_string(result.rank) +
                   ", the instruction copies a tile of a tensor of rank " +
                   std::to_string(dimensions));
  return result;
}

std::array<int32_t, maxTensorRank> coordinatesOf(Warp &warp, unsigned lane,
                                                 const TensorOperand &operand) {
  std::array<int32_t, maxTensorRank> at = {};
  for (size_t i = 0; i < operand.coordinates.size(); ++i)
    at[i] = warp.lanes<int32_t>(operand.coordinates[i])[lane];
  return at;
}

void checkMultiple(Warp &warp, unsigned lane, const char *what, uint64_t value,
                   unsigned of) {
  if (value % of == 0)
    return;
  warp.stop(Finding::misaligned,
            std::string(what) + " is " + hexadecimal(value) +
                "; it must be a multiple of " + std::to_string(of),
            "copies", static_cast<int>(lane));
}

} // namespace ashlar::sim
