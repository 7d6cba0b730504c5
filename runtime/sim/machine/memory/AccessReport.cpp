#include "runtime/sim/machine/memory/AccessReport.h"

#include "runtime/sim/machine/Launch.h"

#include <cinttypes>
#include <cstdio>

namespace ashlar::sim {
namespace {

std::string bytes(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string article(const std::string &name) {
  return name.starts_with("variable") || name.starts_with("the ")
             ? name
             : "the " + name;
}

std::string blockName(const Cluster &cluster, const MemoryBlock &block) {
  if (Cta *cta = ctaOf(cluster, block))
    return "the shared memory of " + cta->name();
  if (block.kind == MemoryBlock::Kind::local)
    return "the thread's local memory";
  if (block.kind == MemoryBlock::Kind::parameter)
    return article(block.name);
  return article(block.name) + " at " + hexadecimal(block.address);
}

} // namespace

std::string hexadecimal(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

Cta *ctaOf(const Cluster &cluster, const MemoryBlock &block) {
  if (block.kind == MemoryBlock::Kind::shared)
    for (const auto &cta : cluster.ctas)
      if (cta->shared.get() == &block)
        return cta.get();
  return nullptr;
}

std::string placeOf(const Cluster &cluster, const MemoryBlock &block,
                    uint64_t offset) {
  if (const Cta *cta = ctaOf(cluster, block)) {
    std::string place = cluster.describeShared(cta->rank << sharedRankShift |
                                               static_cast<uint32_t>(offset));
    return cluster.launch.clusterCount() > 1 || cluster.ctas.size() > 1
               ? place + " of " + cta->name()
               : place;
  }
  std::string place;
  if (block.kind == MemoryBlock::Kind::global)
    place = cluster.launch.tensorElementAt(block.address + offset);
  return place.empty() ? "byte " + std::to_string(offset) + " of " +
                             blockName(cluster, block)
                       : place;
}

std::string elementSentence(const Cluster &cluster, uint64_t address) {
  const std::string element = cluster.launch.tensorElementAt(address);
  return element.empty() ? ""
                         : " It is " + element +
                               ": was the launch given memory of the host?";
}

std::string outOfBoundsSentence(const Cluster &cluster, const Location &place,
                                uint64_t sizeBytes) {
  if (!place.block) {
    const std::string element = elementSentence(cluster, place.offset);
    return bytes(sizeBytes) + " lie in no memory: the address " +
           hexadecimal(place.offset) + " is below every allocation." +
           (element.empty()
                ? " Is it a null pointer, or an offset without its base?"
                : element);
  }
  const MemoryBlock &block = *place.block;
  std::string name = blockName(cluster, block);
  if (block.kind == MemoryBlock::Kind::shared &&
      place.offset < reservedSharedBytes)
    return bytes(sizeBytes) + " at shared+" + std::to_string(place.offset) +
           " lie in the first " + std::to_string(reservedSharedBytes) +
           " bytes of " + name +
           ", which the system reserves: is the address of the variable "
           "missing?";
  if (block.isFreed())
    return bytes(sizeBytes) + " are accessed in " + name +
           ", which has been freed";
  if (block.tensors)
    return block.tensors->describe(place.offset, sizeBytes, block.sizeBytes);
  std::string whole = name;
  if (block.kind != MemoryBlock::Kind::global)
    whole += ", which has " + bytes(block.sizeBytes);
  else if (const std::string element =
               cluster.launch.tensorElementAt(block.address + place.offset);
           !element.empty())
    whole +=
        ", where " + element +
        " would be: the launch was given less memory than the shape takes, or "
        "memory of the host";
  if (place.offset >= block.sizeBytes) {
    uint64_t behind = place.offset - block.sizeBytes;
    return bytes(sizeBytes) + " are accessed " +
           (behind ? bytes(behind) + " behind the end of "
                   : "right behind the end of ") +
           whole;
  }
  return bytes(sizeBytes) + " are accessed of which the last " +
         bytes(place.offset + sizeBytes - block.sizeBytes) +
         " lie behind the end of " + whole;
}

std::string uninitialisedSentence(const Cluster &cluster,
                                  const MemoryBlock &block, uint64_t offset) {
  std::string sentence =
      placeOf(cluster, block, offset) + " is read but was never written";
  return block.kind == MemoryBlock::Kind::shared
             ? sentence + ": shared memory holds nothing when a CTA starts"
             : sentence + ": copy to it or set it before the launch, or write "
                          "it in the kernel first";
}

} // namespace ashlar::sim
