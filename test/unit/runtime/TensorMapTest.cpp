#include "FakeDriver.h"

#include <gtest/gtest.h>

namespace ashlar::test {
namespace {

class TensorMaps : public testing::Test {
protected:
  FakeDriver fake;
  Device device = Device::open(fake.table);
  Stream stream = Stream::wrap(device, nullptr);

  /// The map of a kernel with one tensor, of these constant extents.
  TensorMapCall mapOf(ElementType type, std::vector<int64_t> shape,
                      std::vector<int64_t> strides, std::vector<int64_t> box,
                      int swizzleBytes, std::vector<int64_t> step = {}) {
    Artifact artifact;
    artifact.name = "copy";
    artifact.target = "sm_90a";
    artifact.ptx = "ptx";
    artifact.threads = 128;
    std::vector<Extent> extents;
    for (int64_t extent : shape)
      extents.push_back({-1, extent});
    artifact.tensors = {{"A", type, extents, true, false, 16, {}}};
    artifact.parameters = {
        {Parameter::Kind::tensorMap, 0, 0, {0, box, swizzleBytes, step}}};
    Module module(device, artifact);
    fake.tensorMaps.clear();
    module.launch({{"A", TensorArgument{reinterpret_cast<void *>(0x40000), type,
                                        shape, strides}}},
                  stream);
    return fake.tensorMaps.at(0);
  }
};

TEST_F(TensorMaps, CountDimensionsFromTheInnermost) {
  TensorMapCall map =
      mapOf(bf16, {3, 100, 256}, {51200, 512, 1}, {1, 64, 32}, 64);
  EXPECT_EQ(map.address, reinterpret_cast<void *>(0x40000));
  EXPECT_EQ(map.extents, (std::vector<uint64_t>{256, 100, 3}));
  EXPECT_EQ(map.strideBytes, (std::vector<uint64_t>{1024, 102400}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{32, 64, 1}));
  EXPECT_EQ(map.elementStrides, (std::vector<uint32_t>{1, 1, 1}));
}

TEST_F(TensorMaps, ReachOverWhatTheirStepsLeaveOut) {
  TensorMapCall map =
      mapOf(e4m3, {3, 100, 256}, {51200, 512, 1}, {1, 64, 128}, 128, {1, 2, 1});
  EXPECT_EQ(map.box, (std::vector<uint32_t>{128, 128, 1}));
  EXPECT_EQ(map.elementStrides, (std::vector<uint32_t>{1, 2, 1}));
}

TEST_F(TensorMaps, OfRankOneHaveNoStride) {
  TensorMapCall map = mapOf(f32, {1000}, {}, {256}, 0);
  EXPECT_EQ(map.extents, (std::vector<uint64_t>{1000}));
  EXPECT_TRUE(map.strideBytes.empty());
}

TEST_F(TensorMaps, HaveTheDriversElementType) {
  using driver::TensorMapDataType;
  const std::pair<ElementType, TensorMapDataType> expected[] = {
      {bf16, TensorMapDataType::bfloat16}, {f16, TensorMapDataType::float16},
      {f32, TensorMapDataType::float32},   {tf32, TensorMapDataType::float32},
      {e4m3, TensorMapDataType::uint8},    {e5m2, TensorMapDataType::uint8},
      {s8, TensorMapDataType::uint8},      {u8, TensorMapDataType::uint8},
      {s16, TensorMapDataType::uint16},    {s32, TensorMapDataType::int32},
  };
  for (auto [type, encoded] : expected)
    EXPECT_EQ(mapOf(type, {64, 64}, {}, {16, 16}, 0).type, encoded)
        << name(type);
}

TEST_F(TensorMaps, HaveTheRecipesSwizzle) {
  using driver::TensorMapSwizzle;
  EXPECT_EQ(mapOf(u8, {64, 64}, {}, {16, 16}, 0).swizzle,
            TensorMapSwizzle::none);
  EXPECT_EQ(mapOf(u8, {64, 64}, {}, {16, 32}, 32).swizzle,
            TensorMapSwizzle::bytes32);
  EXPECT_EQ(mapOf(u8, {64, 64}, {}, {16, 64}, 64).swizzle,
            TensorMapSwizzle::bytes64);
  EXPECT_EQ(mapOf(u8, {64, 128}, {}, {16, 128}, 128).swizzle,
            TensorMapSwizzle::bytes128);
}

TEST_F(TensorMaps, AskL2ForNoMoreThanIsCopied) {
  using driver::TensorMapL2Promotion;
  EXPECT_EQ(mapOf(bf16, {64, 128}, {}, {16, 64}, 128).promotion,
            TensorMapL2Promotion::none);
  EXPECT_EQ(mapOf(bf16, {64, 128}, {}, {16, 128}, 0).promotion,
            TensorMapL2Promotion::none);
}

TEST_F(TensorMaps, AreEncodedAgainOnlyWhenTheTensorChanges) {
  Module module(device, gemmArtifact());
  auto arguments = gemmArguments();
  auto encodedBy = [&] {
    size_t before = fake.tensorMaps.size();
    module.launch(arguments, stream);
    return fake.tensorMaps.size() - before;
  };
  EXPECT_EQ(encodedBy(), 2u);
  EXPECT_EQ(encodedBy(), 0u);
  tensor(arguments, "A").strides = {256, 1};
  EXPECT_EQ(encodedBy(), 1u);
  tensor(arguments, "B").data = reinterpret_cast<void *>(0x90000);
  EXPECT_EQ(encodedBy(), 1u);
  tensor(arguments, "A").shape[0] = tensor(arguments, "D").shape[0] = 255;
  EXPECT_EQ(encodedBy(), 1u);
  EXPECT_EQ(encodedBy(), 0u);
}

} // namespace
} // namespace ashlar::test
