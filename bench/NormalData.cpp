#include "bench/NormalData.h"

#include "bench/Parallel.h"
#include "tool/Elements.h"

#include <cstring>
#include <random>

namespace ashlar::bench {

namespace {

constexpr int poolBits = 20;
constexpr int64_t grain = 1 << 18;

/// Fills a matrix with elements of a pool, in an order without a period that
/// matters. `Bits` has the size of an element.
template <typename Bits>
std::vector<std::byte> draw(ElementType type, int64_t count, uint64_t seed) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> distribution;
  std::vector<Bits> pool(1 << poolBits);
  for (Bits &element : pool)
    element = static_cast<Bits>(harness::encode(type, distribution(random)));

  std::vector<std::byte> bytes(count * sizeof(Bits));
  inParallel(count, grain, [&](int64_t begin, int64_t end) {
    uint64_t state = (seed << 40) + begin;
    for (int64_t i = begin; i < end; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(bytes.data() + i * sizeof(Bits),
                  &pool[state >> (64 - poolBits)], sizeof(Bits));
    }
  });
  return bytes;
}

} // namespace

std::vector<std::byte> normalData(ElementType type, int64_t count,
                                  uint64_t seed) {
  switch (size_bytes(type)) {
  case 1:
    return draw<uint8_t>(type, count, seed);
  case 2:
    return draw<uint16_t>(type, count, seed);
  default:
    return draw<uint32_t>(type, count, seed);
  }
}

} // namespace ashlar::bench
