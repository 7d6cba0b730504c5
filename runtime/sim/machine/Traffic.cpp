#include "runtime/sim/machine/Traffic.h"

#include <algorithm>
#include <bit>

namespace ashlar::sim {
namespace {

using Addresses = std::array<uint64_t, warpLanes>;

constexpr unsigned sectorBytes = 32, wordBytes = 4, banks = 32;
constexpr unsigned wideBytes = 16;

/// How many of the values differ; they are sorted.
template <class Values> unsigned countDistinct(Values begin, Values end) {
  std::sort(begin, end);
  return static_cast<unsigned>(std::unique(begin, end) - begin);
}

unsigned sectorsOf(LaneMask lanes, const Addresses &addresses,
                   unsigned sizeBytes) {
  std::array<uint64_t, warpLanes * 2> sectors;
  auto end = sectors.begin();
  forEachLane(lanes, [&](unsigned lane) {
    *end++ = addresses[lane] / sectorBytes;
    *end++ = (addresses[lane] + sizeBytes - 1) / sectorBytes;
  });
  return countDistinct(sectors.begin(), end);
}

/// How often the banks serve lanes whose accesses they take together: once for
/// each of the words that the most wanted bank is asked for.
unsigned passesOf(LaneMask lanes, const Addresses &addresses,
                  unsigned sizeBytes) {
  std::array<uint64_t, warpLanes * wideBytes / wordBytes> words;
  auto end = words.begin();
  forEachLane(lanes, [&](unsigned lane) {
    const uint64_t last = (addresses[lane] + sizeBytes - 1) / wordBytes;
    for (uint64_t word = addresses[lane] / wordBytes; word <= last; ++word)
      *end++ = word;
  });
  const unsigned count = countDistinct(words.begin(), end);
  std::array<unsigned, banks> wanted{};
  for (unsigned i = 0; i < count; ++i)
    ++wanted[words[i] % banks];
  return *std::ranges::max_element(wanted);
}

} // namespace

void Accesses::add(const Accesses &other) {
  bytes += other.bytes;
  wideBytes += other.wideBytes;
  sectorBytes += other.sectorBytes;
  passes += other.passes;
  leastPasses += other.leastPasses;
}

void Traffic::add(const Traffic &other) {
  instructions += other.instructions;
  globalLoads.add(other.globalLoads);
  globalStores.add(other.globalStores);
  sharedLoads.add(other.sharedLoads);
  sharedStores.add(other.sharedStores);
  atomics += other.atomics;
  copiedIn += other.copiedIn;
  copiedOut += other.copiedOut;
}

void Traffic::access(Space space, bool writes, LaneMask lanes,
                     const Addresses &addresses, unsigned sizeBytes) {
  const bool isShared = space == Space::shared;
  Accesses &counted = isShared ? writes ? sharedStores : sharedLoads
                      : writes ? globalStores
                               : globalLoads;
  const uint64_t bytes = uint64_t(std::popcount(lanes)) * sizeBytes;
  counted.bytes += bytes;
  if (sizeBytes >= wideBytes)
    counted.wideBytes += bytes;
  if (!isShared) {
    counted.sectorBytes +=
        uint64_t(sectorsOf(lanes, addresses, sizeBytes)) * sectorBytes;
    return;
  }
  // The banks take as many lanes together as ask for 128 bytes.
  const unsigned together =
      std::min(warpLanes, banks * wordBytes / std::min(sizeBytes, wideBytes));
  for (unsigned first = 0; first < warpLanes; first += together) {
    const LaneMask some =
        lanes &
        ((together == warpLanes ? allLanes : (LaneMask(1) << together) - 1)
         << first);
    if (!some)
      continue;
    counted.passes += passesOf(some, addresses, std::min(sizeBytes, wideBytes));
    ++counted.leastPasses;
  }
}

} // namespace ashlar::sim
