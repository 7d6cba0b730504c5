#include "bench/NormalData.h"

#include "tool/Elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace ashlar::bench {
namespace {

constexpr int64_t count = 1'000'000;

TEST(NormalData, HasTheMomentsOfItsDistribution) {
  for (ElementType type : {bf16, e4m3, f32}) {
    const std::vector<std::byte> bytes = normalData(type, count, 1);
    const int64_t size = size_bytes(type);
    ASSERT_EQ(bytes.size(), count * size);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * size, size);
      const double value = harness::decode(type, bits);
      sum += value, squares += value * value;
    }
    EXPECT_NEAR(sum / count, 0, 0.01) << name(type);
    EXPECT_NEAR(squares / count, 1, 0.02) << name(type);
  }
}

TEST(NormalData, FollowsFromTheSeed) {
  EXPECT_EQ(normalData(bf16, count, 1), normalData(bf16, count, 1));
  EXPECT_NE(normalData(bf16, count, 1), normalData(bf16, count, 2));
}

} // namespace
} // namespace ashlar::bench
