// The swizzle of shared memory.

#include "runtime/sim/machine/copies/Swizzle.h"

#include <gtest/gtest.h>

#include <set>

namespace ashlar::sim {
namespace {

TEST(SharedSwizzle, ChunksChangePlacesAsTheLineSays) {
  EXPECT_EQ(swizzle(0x0000, 128), 0x0000u);
  EXPECT_EQ(swizzle(0x0080, 128), 0x0090u);
  EXPECT_EQ(swizzle(0x03f5, 128), 0x0385u);
  EXPECT_EQ(swizzle(0x0400, 128), 0x0400u); // repeats after 1024 bytes
  EXPECT_EQ(swizzle(0x0180, 64), 0x01b0u);
  EXPECT_EQ(swizzle(0x0200, 64), 0x0200u);
  EXPECT_EQ(swizzle(0x0080, 32), 0x0090u);
  EXPECT_EQ(swizzle(0x0100, 32), 0x0100u);
  EXPECT_EQ(swizzle(0x1234, 0), 0x1234u);
}

TEST(SharedSwizzle, IsItsOwnInverseAndStaysInTheSpan) {
  for (uint32_t span : {32u, 64u, 128u}) {
    std::set<uint32_t> places;
    for (uint32_t address = 0; address < 4096; ++address) {
      const uint32_t place = swizzle(address, span);
      EXPECT_EQ(swizzle(place, span), address);
      EXPECT_EQ(place / span, address / span);
      places.insert(place);
    }
    EXPECT_EQ(places.size(), 4096u);
  }
}

} // namespace
} // namespace ashlar::sim
