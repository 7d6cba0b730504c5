#include "runtime/sim/machine/memory/Memory.h"
#include "runtime/sim/machine/memory/StageRounds.h"
#include "runtime/sim/machine/races/Shadow.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace ashlar::sim {
namespace {

// The heap would clear what it gives out again, as the local memory of each
// thread of a block after the other.
template <class T> Zeros<T> zeros(uint64_t count) {
  constexpr size_t pageBytes = 4096, leastMapped = 16 * pageBytes;
  const size_t size = std::max<uint64_t>(count, 1) * sizeof(T);
  const bool isMapped = size >= leastMapped;
  void *memory = isMapped ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : std::calloc(1, size);
  if (!memory || memory == MAP_FAILED)
    throw std::bad_alloc();
  return Zeros<T>(static_cast<T *>(memory), FreeZeros{isMapped ? size : 0});
}

/// Calls body(word, mask of the bits in it) for the bits [begin, end).
template <class Body> void forBits(uint64_t begin, uint64_t end, Body body) {
  while (begin < end) {
    uint64_t count = std::min(end - begin, 64 - begin % 64);
    uint64_t mask = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    if (!body(begin / 64, mask << begin % 64))
      return;
    begin += count;
  }
}

} // namespace

Zeros<std::byte> zeroBytes(uint64_t count) { return zeros<std::byte>(count); }

void FreeZeros::operator()(void *memory) const {
  if (mappedBytes)
    munmap(memory, mappedBytes);
  else
    std::free(memory);
}

MemoryBlock::MemoryBlock(Kind kind, std::string name, uint64_t address,
                         uint64_t sizeBytes, bool tracked)
    : kind(kind), name(std::move(name)), address(address), sizeBytes(sizeBytes),
      bytes(zeros<uint8_t>(sizeBytes)) {
  if (!tracked)
    return;
  initialised = zeros<uint64_t>(sizeBytes / 64 + 1);
  forgetAccesses();
}

MemoryBlock::~MemoryBlock() = default;

void MemoryBlock::release() {
  sizeBytes = 0;
  bytes.reset();
  initialised.reset();
  shadow.reset();
}

MemoryBlock::Image MemoryBlock::image() const {
  Image image;
  image.bytes.assign(bytes.get(), bytes.get() + sizeBytes);
  if (initialised)
    image.initialised.assign(initialised.get(),
                             initialised.get() + sizeBytes / 64 + 1);
  return image;
}

void MemoryBlock::restore(const Image &image) {
  if (isFreed())
    return;
  std::ranges::copy(image.bytes, bytes.get());
  std::ranges::copy(image.initialised, initialised.get());
}

void MemoryBlock::setInitialised(uint64_t offset, uint64_t size) {
  if (initialised)
    forBits(offset, offset + size, [&](uint64_t word, uint64_t mask) {
      initialised[word] |= mask;
      return true;
    });
}

void MemoryBlock::setUninitialised(uint64_t offset, uint64_t size) {
  if (initialised)
    forBits(offset, offset + size, [&](uint64_t word, uint64_t mask) {
      initialised[word] &= ~mask;
      return true;
    });
}

uint64_t MemoryBlock::firstUninitialised(uint64_t offset, uint64_t size) const {
  uint64_t first = offset + size;
  if (initialised)
    forBits(offset, offset + size, [&](uint64_t word, uint64_t mask) {
      uint64_t missing = ~initialised[word] & mask;
      if (missing)
        first = word * 64 + std::countr_zero(missing);
      return !missing;
    });
  return first;
}

void MemoryBlock::setReadOnly(bool value) {
  readOnly = value;
  forgetAccesses();
}

bool MemoryBlock::isTracked(AccessKind accessKind) {
  if (isReadOnly() && initialised && accessKind != AccessKind::read)
    setReadOnly(false);
  return shadow != nullptr;
}

void MemoryBlock::track(AccessKind accessKind, uint64_t offset, uint64_t size,
                        const Accessor &accessor,
                        const OnConflict &onConflict) {
  track(accessKind, offset, size, LaneMask(1) << accessor.lane, accessor,
        onConflict);
}

void MemoryBlock::track(AccessKind accessKind, uint64_t offset, uint64_t size,
                        LaneMask lanes, const Accessor &accessor,
                        const OnConflict &onConflict) {
  if (!isTracked(accessKind))
    return;
  if (accessKind != AccessKind::read) {
    setInitialised(offset, size);
    if (stages)
      stages->write(offset, size, accessor);
  }
  const Stretch stretch{offset, size};
  shadow->access(accessKind, {&stretch, 1}, lanes, accessor, onConflict);
}

void MemoryBlock::trackReads(std::span<const Stretch> stretches,
                             const Accessor &accessor,
                             const OnConflict &onConflict) {
  if (isTracked(AccessKind::read))
    shadow->access(AccessKind::read, stretches, LaneMask(1) << accessor.lane,
                   accessor, onConflict);
}

void MemoryBlock::trackInLine(AccessKind accessKind, uint64_t offset,
                              unsigned elementBytes, LaneMask lanes,
                              const Accessor &accessor,
                              const OnConflict &onConflict) {
  if (!isTracked(accessKind))
    return;
  if (accessKind != AccessKind::read) {
    auto write = [&](uint64_t begin, uint64_t size) {
      setInitialised(begin, size);
      if (stages)
        stages->write(begin, size, accessor);
    };
    if (lanes == allLanes)
      write(offset, uint64_t(elementBytes) * warpLanes);
    else
      forEachLane(lanes, [&](unsigned lane) {
        write(offset + uint64_t(lane) * elementBytes, elementBytes);
      });
  }
  shadow->accessInLine(accessKind, offset, elementBytes, lanes, accessor,
                       onConflict);
}

// Any one of the readers will do to notice that global memory is overwritten
// too early; shared memory is where each of them counts.
void MemoryBlock::forgetAccesses() {
  shadow.reset();
  if (initialised && !isReadOnly())
    shadow = std::make_unique<Shadow>(sizeBytes, kind == Kind::global ? 4 : 32);
}

} // namespace ashlar::sim
