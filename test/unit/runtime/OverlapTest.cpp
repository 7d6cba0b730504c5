#include "FakeDriver.h"
#include "Throws.h"
#include "runtime/CheckOverlaps.h"

#include <random>
#include <set>

namespace ashlar::test {
namespace {

class Overlap : public testing::Test {
protected:
  void launch() {
    Device device = Device::open(fake.table);
    Module module(device, artifact);
    Stream stream = Stream::wrap(device, nullptr);
    module.launch(arguments, stream);
  }
  void expectLaunched() {
    launch();
    EXPECT_EQ(fake.launches, 1);
  }
  void expectRefused(std::initializer_list<const char *> parts) {
    expectError([&] { launch(); }, parts);
    EXPECT_EQ(fake.launches, 0);
    EXPECT_EQ(fake.count("tensorMapEncodeTiled"), 0);
  }

  /// Three results instead of one.
  void makeBatched(std::vector<int64_t> strides) {
    artifact.tensors[2].extents = {{-1, 3}, {0}, {1}};
    tensor(arguments, "D").shape = {3, 256, 384};
    tensor(arguments, "D").strides = std::move(strides);
  }
  void place(std::string_view name, uintptr_t address,
             std::vector<int64_t> strides = {}) {
    tensor(arguments, name).data = reinterpret_cast<void *>(address);
    tensor(arguments, name).strides = std::move(strides);
  }

  FakeDriver fake;
  Artifact artifact = gemmArtifact();
  std::vector<NamedArgument> arguments = gemmArguments();
};

TEST_F(Overlap, OfRowsIsRefused) {
  tensor(arguments, "D").strides = {128, 1};
  expectRefused({"(in the kernel: gemm.cpp:13)", "kernel 'gemm'", "tensor 'D'",
                 "stride 128 in dimension 0", "at least 384 there"});
}

TEST_F(Overlap, OfMatricesOfABatchIsRefused) {
  makeBatched({255 * 400, 400, 1});
  expectRefused({"(in the kernel: gemm.cpp:13)", "tensor 'D'",
                 "stride 102000 in dimension 0", "at least 102384 there"});
  tensor(arguments, "D").strides = {102384, 400, 1};
  expectLaunched();
}

TEST_F(Overlap, NamesAStrideThatWouldDoWhereverTheOthersAre) {
  makeBatched({8, 384, 1});
  expectRefused({"stride 8 in dimension 0", "at least 98304 there"});
  makeBatched({384, 384, 1});
  expectRefused({"stride 384 in dimension 0", "at least 98304 there"});
}

TEST_F(Overlap, OfAnOutputThatRepeatsIsRefused) {
  makeBatched({0, 384, 1});
  expectRefused({"(in the kernel: gemm.cpp:13)", "stride 0 in dimension 0",
                 "at least 98304 there"});
}

TEST_F(Overlap, DoesNotDependOnTheOrderOfTheDimensions) {
  makeBatched({384, 3 * 384, 1});
  expectLaunched();
}

TEST_F(Overlap, IsNoneInADimensionWithoutASecondElement) {
  artifact.tensors[2].extents = {{-1, 1}, {0}, {1}};
  tensor(arguments, "D").shape = {1, 256, 384};
  tensor(arguments, "D").strides = {0, 384, 1};
  expectLaunched();
}

TEST_F(Overlap, OfInputsIsTheCallersAffair) {
  tensor(arguments, "A").strides = {8, 1};
  tensor(arguments, "B").strides = {0, 1};
  place("B", 0x10000000, {0, 1});
  expectLaunched();
  EXPECT_EQ(fake.tensorMaps[0].strideBytes[0], 16u);
  EXPECT_EQ(fake.tensorMaps[1].strideBytes[0], 0u);
}

TEST_F(Overlap, OfAnOutputWithAnInputNamesBoth) {
  place("D", 0x10000000);
  expectRefused({"(in the kernel: gemm.cpp:13)", "tensor 'D'", "the input 'A'",
                 "(gemm.cpp:11)", "exactly the same"});
  place("D", 0x20000000 + 384 * 128 * 2 - 16);
  expectRefused({"tensor 'D'", "the input 'B' (gemm.cpp:12)"});
  place("D", 0x20000000 + 384 * 128 * 2);
  expectLaunched();
}

TEST_F(Overlap, OfTwoOutputsNamesBoth) {
  arguments = gemmArguments(128, 128, 128);
  artifact.tensors[0].written = true;
  place("D", 0x10000000);
  expectRefused({"(in the kernel: gemm.cpp:13)", "tensor 'D'",
                 "the output 'A' (gemm.cpp:11): pass tensors that lie apart"});
}

TEST_F(Overlap, OfAnOutputThatIsExactlyAnInputIsWorkInPlace) {
  arguments = gemmArguments(128, 128, 128);
  place("D", 0x10000000);
  expectLaunched();
  place("D", 0x10000000, {256, 1});
  expectError([&] { launch(); }, {"tensor 'D'", "the input 'A'"});
}

TEST_F(Overlap, OfAnInputThatIsReadForSeveralTilesIsNoWorkInPlace) {
  arguments = gemmArguments(128, 128, 128);
  artifact.tensors[0].reread = true;
  place("D", 0x10000000);
  expectRefused({"tensor 'D'", "lies on the input 'A'",
                 "of which elements are read for several tiles",
                 "pass tensors that lie apart"});
}

TEST_F(Overlap, IsNoneBetweenColumnsOfOneMatrix) {
  place("D", 0x10000000, {512, 1});
  place("A", 0x10000000 + 2 * 384, {512, 1});
  expectLaunched();
  place("A", 0x10000000 + 2 * 376, {512, 1});
  expectError([&] { launch(); }, {"tensor 'D'", "the input 'A'"});
}

TEST_F(Overlap, IsNoneBetweenMatricesThatTakeTurns) {
  makeBatched({2 * 256 * 384, 384, 1});
  artifact.tensors[0].extents = {{-1, 3}, {0}, {1}};
  artifact.parameters.erase(artifact.parameters.begin() + 3);
  fake.parameterBytes.clear();
  tensor(arguments, "A").shape = {3, 256, 384};
  arguments.push_back({"K", 128});
  place("A", 0x30000000 + 2 * 256 * 384, {2 * 256 * 384, 384, 1});
  expectLaunched();
}

TEST_F(Overlap, WithATensorWithoutElementsIsNone) {
  arguments = gemmArguments(256, 384, 0);
  place("A", 0x30000000);
  expectLaunched();
}

struct Tensors {
  Artifact artifact;
  std::vector<BoundTensor> bound;
};

void add(Tensors &tensors, std::mt19937 &random, const char *name,
         bool written) {
  auto below = [&](unsigned limit) { return int64_t(random() % limit); };
  TensorContract contract = {
      name, random() % 2 ? u8 : bf16, {}, !written, written};
  BoundTensor bound;
  bound.address = 1000 + uint64_t(below(60));
  for (int64_t d = below(3); d >= 0; --d) {
    bound.shape.push_back(1 + below(4));
    bound.strides.push_back(d == 0 ? 1 : below(20));
  }
  tensors.artifact.tensors.push_back(contract);
  tensors.bound.push_back(bound);
}

/// Adds the bytes of a tensor; says whether one of them is there already.
bool touch(const Tensors &tensors, size_t i, std::set<uint64_t> &bytes) {
  const BoundTensor &tensor = tensors.bound[i];
  const int64_t elementBytes = size_bytes(tensors.artifact.tensors[i].type);
  std::vector<int64_t> offsets = {0};
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t x = 0; x < tensor.shape[d]; ++x)
        next.push_back(offset + x * tensor.strides[d]);
    offsets = next;
  }
  bool twice = false;
  for (int64_t offset : offsets)
    for (int64_t byte = 0; byte < elementBytes; ++byte)
      twice |=
          !bytes.insert(tensor.address + uint64_t(offset * elementBytes + byte))
               .second;
  return twice;
}

TEST(Overlaps, AreFoundExactly) {
  std::mt19937 random(1);
  int apart = 0, shared = 0;
  for (int i = 0; i < 20000; ++i) {
    Tensors tensors;
    add(tensors, random, "A", false);
    add(tensors, random, "D", true);
    std::string refusal;
    try {
      checkOverlaps(tensors.artifact, tensors.bound);
    } catch (const Error &error) {
      refusal = error.what();
    }
    std::set<uint64_t> a, d;
    touch(tensors, 0, a);
    const bool twice = touch(tensors, 1, d);
    const bool forItself = refusal.find("its elements") != refusal.npos;
    EXPECT_TRUE(forItself || !twice) << i << refusal;
    const bool same =
        tensors.bound[0].address == tensors.bound[1].address &&
        tensors.bound[0].shape == tensors.bound[1].shape &&
        tensors.bound[0].strides == tensors.bound[1].strides &&
        tensors.artifact.tensors[0].type == tensors.artifact.tensors[1].type;
    if (forItself || same)
      continue;
    const bool both = std::any_of(
        a.begin(), a.end(), [&](uint64_t byte) { return d.contains(byte); });
    EXPECT_EQ(!refusal.empty(), both) << i << refusal;
    ++(both ? shared : apart);
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(shared, 1000);
}

} // namespace
} // namespace ashlar::test
