#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <bit>

namespace ashlar::sim {
namespace {

/// Between two allocations: what runs past an end by less lands in neither.
constexpr uint64_t gapBytes = 4096;

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

} // namespace

std::shared_ptr<MemoryBlock> GlobalMemory::allocate(uint64_t sizeBytes,
                                                    uint64_t alignment,
                                                    const std::string &name) {
  std::lock_guard guard(lock);
  alignment = std::max<uint64_t>(alignment, 1);
  uint64_t address = roundUp(next, alignment);
  auto block = std::make_shared<MemoryBlock>(
      MemoryBlock::Kind::global,
      name.empty()
          ? "global allocation of " + std::to_string(sizeBytes) + " bytes"
          : name,
      address, sizeBytes, /*tracked=*/true);
  blocks[address] = block;
  next = address + sizeBytes + gapBytes;
  return block;
}

bool GlobalMemory::free(uint64_t address) {
  std::lock_guard guard(lock);
  return blocks.erase(address) != 0;
}

bool GlobalMemory::freeInKernel(uint64_t address) {
  std::lock_guard guard(lock);
  const auto found = blocks.find(address);
  if (found == blocks.end())
    return false;
  found->second->release();
  freed.push_back(std::move(found->second));
  blocks.erase(found);
  return true;
}

MemoryBlock *GlobalMemory::nearest(uint64_t address) {
  auto after = blocks.upper_bound(address);
  return after == blocks.begin() ? nullptr : std::prev(after)->second.get();
}

MemoryBlock *GlobalMemory::find(uint64_t address) {
  MemoryBlock *block = nearest(address);
  return block && address - block->address < block->sizeBytes ? block : nullptr;
}

void GlobalMemory::setTensors(const std::vector<Tensor> &tensors) {
  std::lock_guard guard(lock);
  for (auto &[address, block] : blocks)
    block->tensors.reset();
  std::map<MemoryBlock *, std::shared_ptr<TensorBounds>> found;
  for (const Tensor &tensor : tensors)
    if (MemoryBlock *block = find(tensor.address)) {
      std::shared_ptr<TensorBounds> &bounds = found[block];
      if (!bounds)
        bounds = std::make_shared<TensorBounds>();
      bounds->add(tensor, tensor.address - block->address);
    }
  for (auto &[block, bounds] : found)
    block->tensors = std::move(bounds);
}

void GlobalMemory::forgetAccesses() {
  std::lock_guard guard(lock);
  freed.clear();
  for (auto &[address, block] : blocks)
    block->forgetAccesses();
}

} // namespace ashlar::sim
