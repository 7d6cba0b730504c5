#include "bench/GemmShapes.h"

#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <set>

namespace ashlar::bench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> names(const std::vector<GemmShape> &shapes) {
  std::vector<std::string> names;
  for (const GemmShape &shape : shapes)
    names.push_back(str(shape.sizes));
  return names;
}

TEST(GemmShapes, AreTheSameForTheSameSeed) {
  EXPECT_EQ(names(drawShapes(3, 20)), names(drawShapes(3, 20)));
  EXPECT_NE(names(drawShapes(3, 20)), names(drawShapes(4, 20)));
}

TEST(GemmShapes, AreDrawnOnceEach) {
  const std::vector<std::string> drawn = names(drawShapes(1, 50));
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 50);
}

TEST(GemmShapes, SuitFp8AndTensorMaps) {
  for (const GemmShape &shape : drawShapes(2, 100)) {
    EXPECT_EQ(shape.sizes.n % 16, 0) << shape.origin;
    EXPECT_EQ(shape.sizes.k % 16, 0) << shape.origin;
    EXPECT_FALSE(shape.origin.empty());
  }
}

TEST(GemmShapes, EvenedOnesAreTheNextAlignedOnes) {
  const std::vector<GemmShape> odd = drawOddShapes(1, 30),
                               evened = drawEvenedShapes(1, 30);
  for (size_t i = 0; i < odd.size(); ++i) {
    EXPECT_EQ(odd[i].sizes.m % 2, 1);
    EXPECT_EQ(evened[i].sizes.n % 8, 0);
    EXPECT_LT(evened[i].sizes.k - odd[i].sizes.k, 8);
  }
}

TEST(GemmShapes, RaggedOnesAreMultiplesOfEightOnly) {
  EXPECT_EQ(names(drawRaggedShapes(1, 40)), names(drawRaggedShapes(1, 40)));
  for (const GemmShape &shape : drawRaggedShapes(1, 200))
    for (int64_t extent : {shape.sizes.m, shape.sizes.n, shape.sizes.k}) {
      EXPECT_EQ(extent % 8, 0);
      EXPECT_NE(extent % 64, 0);
      EXPECT_GE(extent, 100);
      EXPECT_LE(extent, 12000);
    }
}

TEST(GemmShapes, AreReadAsTheyArePrinted) {
  EXPECT_EQ(str(parseShape("16x4096x8192").sizes), "16x4096x8192");
  for (const char *wrong : {"", "16", "16x4096", "16x4096x", "0x1x1",
                            "16x4096x8192x2", "16,4096,8192", "axbxc"})
    EXPECT_THAT([&] { parseShape(wrong); },
                ThrowsMessage<Error>(HasSubstr("as in 4096x6144x4096")))
        << wrong;
}

} // namespace
} // namespace ashlar::bench
