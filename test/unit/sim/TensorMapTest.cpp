// Tensor maps and the boxes that they describe.

#include "runtime/sim/machine/copies/TensorBox.h"

#include <gtest/gtest.h>

#include <functional>

namespace ashlar::sim {
namespace {

TensorMap matrix() {
  TensorMap map;
  map.element = static_cast<uint32_t>(TensorElement::bf16);
  map.rank = 2;
  map.address = 0x7f0000000000;
  map.extents = {100, 50, 1, 1, 1};
  map.strideBytes = {208};
  map.box = {64, 8, 1, 1, 1};
  return map;
}

TEST(TensorMap, IsReadAsItWasEncoded) {
  uint64_t opaque[16];
  TensorMap map = matrix(), read;
  map.swizzle = 3;
  map.fill = 1;
  ASSERT_EQ(encodeTensorMap(opaque, map), std::nullopt);
  ASSERT_EQ(unpackTensorMap(opaque, read), std::nullopt);
  EXPECT_EQ(read, map);
}

// CUTLASS clears it in the maps of small tensors.
TEST(TensorMap, Bit21OfTheSecondWordIsSetAndDoesNotCount) {
  uint64_t opaque[16];
  TensorMap map = matrix(), read;
  for (map.extents[1] = 1; map.extents[1] < 50; ++map.extents[1]) {
    ASSERT_EQ(encodeTensorMap(opaque, map), std::nullopt);
    EXPECT_TRUE(opaque[1] >> 21 & 1);
    opaque[1] &= ~(uint64_t(1) << 21);
    ASSERT_EQ(unpackTensorMap(opaque, read), std::nullopt);
    EXPECT_EQ(read, map);
  }
}

TEST(TensorMap, AnyOtherChangedBitIsNoticed) {
  uint64_t opaque[16];
  ASSERT_EQ(encodeTensorMap(opaque, matrix()), std::nullopt);
  TensorMap read;
  for (unsigned bit = 0; bit < 1024; ++bit) {
    opaque[bit / 64] ^= uint64_t(1) << bit % 64;
    EXPECT_EQ(bool(unpackTensorMap(opaque, read)), bit != 64 + 21) << bit;
    opaque[bit / 64] ^= uint64_t(1) << bit % 64;
  }
}

TEST(TensorMap, ZerosAreBlankForThoseWhoMakeMaps) {
  const uint64_t opaque[16] = {};
  TensorMap read;
  EXPECT_NE(unpackTensorMap(opaque, read)->find("never encoded"),
            std::string::npos);
  EXPECT_EQ(unpackTensorMap(opaque, read, true), std::nullopt);
  EXPECT_TRUE(brokenRule(read));
}

TEST(TensorMap, EachRuleIsNamed) {
  struct Broken {
    const char *sentence;
    std::function<void(TensorMap &)> change;
  };
  const Broken all[] = {
      {"element type", [](TensorMap &m) { m.element = 13; }},
      {"the rank is 0", [](TensorMap &m) { m.rank = 0; }},
      {"the rank is 6", [](TensorMap &m) { m.rank = 6; }},
      {"address is not a multiple of 16", [](TensorMap &m) { m.address += 8; }},
      {"extent of dimension 1", [](TensorMap &m) { m.extents[1] = 0; }},
      {"extent of dimension 0",
       [](TensorMap &m) { m.extents[0] = (uint64_t(1) << 32) + 1; }},
      {"stride of dimension 1", [](TensorMap &m) { m.strideBytes[0] = 200; }},
      {"stride of dimension 1",
       [](TensorMap &m) { m.strideBytes[0] = uint64_t(1) << 40; }},
      {"box of dimension 1", [](TensorMap &m) { m.box[1] = 257; }},
      {"box of dimension 0", [](TensorMap &m) { m.box[0] = 0; }},
      {"multiple of 16", [](TensorMap &m) { m.box[0] = 4; }},
      {"no more than that", [](TensorMap &m) { m.swizzle = 2; }},
      {"swizzle 4", [](TensorMap &m) { m.swizzle = 4; }},
      {"element stride of dimension 1",
       [](TensorMap &m) { m.elementStrides[1] = 9; }},
      {"interleaved layout", [](TensorMap &m) { m.interleave = 1; }},
      {"L2 promotion", [](TensorMap &m) { m.l2Promotion = 4; }},
      {"filled with NaN",
       [](TensorMap &m) {
         m.fill = 1;
         m.element = static_cast<uint32_t>(TensorElement::u16);
       }},
  };
  EXPECT_EQ(brokenRule(matrix()), std::nullopt);
  for (const Broken &each : all) {
    TensorMap map = matrix();
    each.change(map);
    const std::string sentence = brokenRule(map).value_or("");
    EXPECT_NE(sentence.find(each.sentence), std::string::npos) << sentence;
  }
}

TEST(TensorBox, LoadsClipByElementAndStoresBy16Bytes) {
  const TensorMap map = matrix();
  const TensorBox box{map, {56, 48}};
  EXPECT_EQ(box.bytes(), 64u * 8 * 2);
  const auto loaded = box.rowsToLoad(), stored = box.rowsToStore();
  ASSERT_EQ(loaded.size(), 8u);
  EXPECT_EQ(loaded[0].global, map.address + 48 * 208 + 112);
  EXPECT_EQ(loaded[0].end, 88u); // 44 of 64 elements
  EXPECT_EQ(stored[0].end, 96u);
  EXPECT_EQ(loaded[1].shared, 128u);
  EXPECT_EQ(loaded[2].begin, loaded[2].end); // row 50 does not exist
}

TEST(TensorBox, ElementsBeforeTheTensorAreMissing) {
  const TensorMap map = matrix();
  const TensorBox box{map, {-8, -1}};
  const auto rows = box.rowsToLoad();
  EXPECT_EQ(rows[0].begin, rows[0].end);
  EXPECT_EQ(rows[1].begin, 16u);
  EXPECT_EQ(rows[1].end, 128u);
  EXPECT_EQ(rows[1].global + rows[1].begin, map.address);
}

TEST(TensorBox, FarCoordinatesDoNotOverflow) {
  TensorMap map = matrix();
  map.strideBytes[0] = (uint64_t(1) << 40) - 16;
  for (int32_t far : {INT32_MIN, INT32_MAX - 7})
    for (const CopyRow &row : TensorBox{map, {far & -8, far}}.rowsToLoad())
      EXPECT_EQ(row.begin, row.end);
}

TEST(TensorBox, RowsNarrowerThanTheSwizzleLeaveTheRestOfItsSpan) {
  TensorMap map = matrix();
  map.box[0] = 16;
  map.swizzle = 3;
  const TensorBox box{map, {}};
  EXPECT_EQ(box.rowsToLoad()[1].shared, 128u);
  EXPECT_EQ(box.bytes(), 32u * 8);
}

TEST(TensorBox, ElementStridesSkipRows) {
  TensorMap map = matrix();
  map.elementStrides[1] = 3;
  const TensorBox box{map, {0, 45}};
  const auto rows = box.rowsToLoad();
  ASSERT_EQ(rows.size(), 3u); // 8 / 3, rounded up
  EXPECT_EQ(rows[1].global, map.address + 48 * 208);
  EXPECT_EQ(rows[2].begin, rows[2].end);
  EXPECT_EQ(box.describe(), "3x64 bf16 tile at (0, 45)");
}

} // namespace
} // namespace ashlar::sim
