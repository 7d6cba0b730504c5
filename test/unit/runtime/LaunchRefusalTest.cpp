#include "FakeDriver.h"
#include "Throws.h"
#include "compiler/target/Target.h"
#include "runtime/Bounds.h"
#include "runtime/Text.h"

namespace ashlar::test {
namespace {

class LaunchRefusal : public testing::Test {
protected:
  // Whatever is wrong, nothing may have been sent.
  void expectRefused(std::initializer_list<const char *> parts) {
    Device device = Device::open(fake.table);
    Module module(device, artifact);
    Stream stream = Stream::wrap(device, nullptr);
    expectError([&] { module.launch(arguments, stream); }, parts);
    EXPECT_EQ(fake.launches, 0);
    EXPECT_EQ(fake.count("tensorMapEncodeTiled"), 0);
  }

  void *at(uintptr_t address) { return reinterpret_cast<void *>(address); }

  FakeDriver fake;
  Artifact artifact = gemmArtifact();
  std::vector<NamedArgument> arguments = gemmArguments();
};

TEST_F(LaunchRefusal, NothingIsWrongWithTheArgumentsTheOtherTestsSpoil) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  Stream stream = Stream::wrap(device, nullptr);
  module.launch(arguments, stream);
  EXPECT_EQ(fake.launches, 1);
}

TEST_F(LaunchRefusal, NamesTheLineOfTheLaunch) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  Stream stream = Stream::wrap(device, nullptr);
  arguments.pop_back();
  int line = 0;
  const auto expectLine = [&](const std::string &message) {
    const std::string begin = concat("LaunchRefusalTest.cpp:", line,
                                     ": error: kernel 'gemm': scalar 'alpha'");
    EXPECT_NE(message.find(begin), std::string::npos) << message;
    EXPECT_NE(message.find("(in the kernel: gemm.cpp:14)"), std::string::npos)
        << message;
  };
  expectLine(messageOf([&] {
    line = __LINE__ + 1;
    module.launch(arguments, stream);
  }));
  expectLine(messageOf([&] {
    line = __LINE__ + 1;
    module.launch_and_wait(arguments, std::chrono::seconds(1));
  }));
  // And where the arguments are listed.
  const NamedArgument &a = arguments[0], &b = arguments[1], &d = arguments[2];
  expectLine(messageOf([&] {
    line = __LINE__ + 1;
    module.launch({a, b, d}, stream);
  }));
  expectLine(messageOf([&] {
    line = __LINE__ + 1;
    module.launch_and_wait({a, b, d}, std::chrono::seconds(1));
  }));
  // Who launches for the kernel's author names the kernel's line alone.
  EXPECT_EQ(messageOf([&] {
              module.launch(arguments, stream, {});
            }).find("gemm.cpp:14: error: kernel 'gemm': scalar 'alpha' is"),
            0);
}

TEST_F(LaunchRefusal, MissingTensorNamesItsDeclaration) {
  arguments.erase(arguments.begin() + 1);
  expectRefused({"(in the kernel: gemm.cpp:12)", "kernel 'gemm'",
                 "tensor 'B' is missing", "pass a TensorArgument"});
}

TEST_F(LaunchRefusal, MissingScalarNamesItsDeclaration) {
  arguments.pop_back();
  expectRefused({"(in the kernel: gemm.cpp:14)", "scalar 'alpha' is missing",
                 "pass a float"});
}

TEST_F(LaunchRefusal, UnknownArgumentListsTheKnownOnes) {
  arguments.push_back({"C", 1.0f});
  expectRefused({"(in the kernel: gemm.cpp:10)", "'gemm' has no argument 'C'",
                 "A, B, D, alpha, M, N, K"});
}

TEST_F(LaunchRefusal, DuplicateTensor) {
  arguments.push_back(arguments[0]);
  expectRefused({"(in the kernel: gemm.cpp:11)", "'A' is passed twice"});
}

TEST_F(LaunchRefusal, DuplicateScalar) {
  arguments.push_back({"alpha", 0.25f});
  expectRefused({"(in the kernel: gemm.cpp:14)", "'alpha' is passed twice"});
}

TEST_F(LaunchRefusal, DuplicateSize) {
  arguments.push_back({"M", 256});
  arguments.push_back({"M", 256});
  expectRefused({"(in the kernel: gemm.cpp:10)", "'M' is passed twice"});
}

TEST_F(LaunchRefusal, ScalarWhereATensorIsDeclared) {
  arguments[0].value = 1.0f;
  expectRefused({"(in the kernel: gemm.cpp:11)", "'A' is a float",
                 "declared as a tensor", "pass a TensorArgument"});
}

TEST_F(LaunchRefusal, TensorWhereAScalarIsDeclared) {
  arguments[3].value = TensorArgument{at(0x1000), f32, {1}};
  expectRefused({"(in the kernel: gemm.cpp:14)", "'alpha' is a tensor",
                 "a scalar of type f32", "pass a float"});
}

TEST_F(LaunchRefusal, IntegerWhereAFloatIsDeclared) {
  arguments[3].value = 1;
  expectRefused(
      {"(in the kernel: gemm.cpp:14)", "'alpha' is an integer", "f32"});
}

TEST_F(LaunchRefusal, FloatWhereAnIntegerIsDeclared) {
  artifact.scalars[0].type = s32;
  expectRefused({"(in the kernel: gemm.cpp:14)", "'alpha' is a float", "s32",
                 "pass an integer"});
}

TEST_F(LaunchRefusal, IntegerThatDoesNotFitItsScalar) {
  // The grid is not empty, so only the value can be what is refused.
  artifact.scalars[0].type = s32;
  arguments[3].value = int64_t(1) << 31;
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  Stream stream = Stream::wrap(device, nullptr);
  expectError([&] { module.launch(arguments, stream); },
              {"(in the kernel: gemm.cpp:14)", "scalar 'alpha' is 2147483648"});
  EXPECT_EQ(fake.launches, 0);
}

TEST_F(LaunchRefusal, FloatWhereASizeIsDeclared) {
  arguments.push_back({"M", 256.0f});
  expectRefused({"(in the kernel: gemm.cpp:10)", "'M' is a float", "a size"});
}

TEST_F(LaunchRefusal, OtherElementType) {
  tensor(arguments, "A").type = f16;
  expectRefused({"(in the kernel: gemm.cpp:11)", "tensor 'A' holds f16",
                 "declared bf16"});
}

TEST_F(LaunchRefusal, OtherRank) {
  tensor(arguments, "B").shape = {1, 384, 128};
  expectRefused({"(in the kernel: gemm.cpp:12)", "tensor 'B' has rank 3",
                 "declared with rank 2"});
}

TEST_F(LaunchRefusal, OtherRankOfStrides) {
  tensor(arguments, "B").strides = {1};
  expectRefused({"(in the kernel: gemm.cpp:12)",
                 "tensor 'B' has 2 extents and 1 "
                 "strides"});
}

TEST_F(LaunchRefusal, OtherConstantExtent) {
  artifact.tensors[1].extents[1] = {-1, 64};
  expectRefused({"(in the kernel: gemm.cpp:12)", "tensor 'B' has extent 128",
                 "in dimension 1", "declared with 64"});
}

TEST_F(LaunchRefusal, TensorsThatDisagreeOnASizeAreBothNamed) {
  tensor(arguments, "B").shape = {384, 64};
  expectRefused({"(in the kernel: gemm.cpp:12)", "tensor 'B' has extent 64",
                 "in dimension 1", "'K'", "tensor 'A' (gemm.cpp:11)", "128"});
}

TEST_F(LaunchRefusal, PassedSizeThatDisagreesWithATensor) {
  arguments.push_back({"K", 64});
  expectRefused({"(in the kernel: gemm.cpp:11)", "tensor 'A' has extent 128",
                 "the argument 'K' makes it 64"});
}

TEST_F(LaunchRefusal, SizeThatIsNoExtentAndWasNotPassed) {
  artifact.sizes.push_back("groups");
  expectRefused({"(in the kernel: gemm.cpp:10)",
                 "size 'groups' is no tensor's extent", "pass it"});
}

TEST_F(LaunchRefusal, PassedSizeOutsideItsLimits) {
  artifact.sizes.push_back("groups");
  arguments.push_back({"groups", -1});
  expectRefused({"size 'groups' is -1", "2146435072"});
  arguments.back().value = target::largestExtent + 1;
  expectRefused({"size 'groups' is 2146435073", "2146435072"});
}

TEST_F(LaunchRefusal, ExtentOf32Bits) {
  tensor(arguments, "A").shape[0] = target::largestExtent + 1;
  expectRefused({"(in the kernel: gemm.cpp:11)",
                 "extent 2146435073 in dimension 0", "2146435072"});
}

TEST_F(LaunchRefusal, NegativeExtent) {
  tensor(arguments, "A").shape[0] = -128;
  expectRefused({"(in the kernel: gemm.cpp:11)", "extent -128 in dimension 0"});
}

TEST_F(LaunchRefusal, InnermostStrideOtherThanOne) {
  tensor(arguments, "A").strides = {1, 256};
  expectRefused({"(in the kernel: gemm.cpp:11)", "stride 256 in its innermost",
                 "the kernel needs 1"});
}

TEST_F(LaunchRefusal, StrideThatIsNotAligned) {
  tensor(arguments, "A").strides = {132, 1};
  expectRefused({"(in the kernel: gemm.cpp:11)",
                 "stride 132 (264 bytes) in dimension "
                 "0",
                 "multiple of 16 bytes"});
}

TEST_F(LaunchRefusal, DenseTensorWhoseRowsAreNotAligned) {
  arguments = gemmArguments(256, 100, 128);
  expectRefused({"(in the kernel: gemm.cpp:13)",
                 "tensor 'D' has stride 100 (200 bytes)",
                 "multiple of 16 bytes", "padded rows"});
}

TEST_F(LaunchRefusal, ContractsMayAskForMoreThanTma) {
  artifact.tensors[0].alignmentBytes = 128;
  tensor(arguments, "A").strides = {136, 1};
  expectRefused({"stride 136 (272 bytes)", "multiple of 128 bytes"});
}

TEST_F(LaunchRefusal, TmaAsksForSixteenBytesWhateverTheContract) {
  artifact.tensors[0].alignmentBytes = 2;
  tensor(arguments, "A").strides = {129, 1};
  expectRefused({"stride 129 (258 bytes)", "multiple of 16 bytes"});
}

TEST_F(LaunchRefusal, RowsOfHalfBytes) {
  arguments = gemmArguments(256, 384, 127);
  artifact.tensors[0].type = tensor(arguments, "A").type = s4;
  expectRefused({"(in the kernel: gemm.cpp:11)",
                 "tensor 'A' has rows of 127 elements", "2 of s4 share a byte",
                 "multiple of 2"});
}

TEST_F(LaunchRefusal, StrideOfHalfBytes) {
  artifact.tensors[0].type = tensor(arguments, "A").type = e2m1;
  tensor(arguments, "A").strides = {129, 1};
  expectRefused({"(in the kernel: gemm.cpp:11)", "tensor 'A' has stride 129",
                 "2 elements of e2m1 share a byte"});
}

TEST_F(LaunchRefusal, StrideOfPairsThatIsNotAligned) {
  artifact.tensors[0].type = tensor(arguments, "A").type = u4;
  tensor(arguments, "A").strides = {144, 1};
  expectRefused({"(in the kernel: gemm.cpp:11)", "stride 144 (72 bytes)",
                 "multiple of 16 bytes"});
}

TEST_F(LaunchRefusal, PairsAreNotBytes) {
  artifact.tensors[0].type = s4;
  tensor(arguments, "A").type = s8;
  expectRefused({"(in the kernel: gemm.cpp:11)",
                 "tensor 'A' holds s8; it is declared "
                 "s4"});
}

TEST_F(LaunchRefusal, NegativeStride) {
  tensor(arguments, "B").strides = {-128, 1};
  expectRefused({"(in the kernel: gemm.cpp:12)", "stride -128 in dimension 0"});
}

TEST_F(LaunchRefusal, StrideOfAsManyBytesAsTmaCanNotCount) {
  tensor(arguments, "A").strides = {(int64_t(1) << 39), 1};
  expectRefused(
      {"(in the kernel: gemm.cpp:11)", "549755813888 elements", "2^40"});
}

TEST_F(LaunchRefusal, DenseShapeThatOverflowsItsStrides) {
  const int64_t most = target::largestExtent;
  artifact.sizes = {"M", "N", "K", "P", "Q"};
  artifact.tensors[0].extents = {{-1, 2}, {3}, {4}, {0}, {2}};
  artifact.parameters.erase(artifact.parameters.begin() + 3);
  tensor(arguments, "A").shape = {2, most, most, 256, 128};
  expectRefused({"(in the kernel: gemm.cpp:11)", "2^40"});
}

TEST_F(LaunchRefusal, NullPointer) {
  tensor(arguments, "D").data = nullptr;
  expectRefused(
      {"(in the kernel: gemm.cpp:13)", "tensor 'D' has a null data pointer"});
}

TEST_F(LaunchRefusal, PointerThatIsNotAligned) {
  tensor(arguments, "D").data = at(0x30000008);
  expectRefused(
      {"(in the kernel: gemm.cpp:13)", "tensor 'D' is at address 0x30000008",
       "multiple of 16 bytes",
       "starts at one, or use a kernel that declares it with align(8)"});
  // Within an element no kernel takes it.
  tensor(arguments, "D").data = at(0x30000001);
  expectRefused({"multiple of 16 bytes: pass a tensor that starts at one (in"});
}

TEST_F(LaunchRefusal, IndexBeyondItsBound) {
  artifact.bounds[0].most = 100;
  arguments = gemmArguments(101, 128, 128);
  expectRefused({"(in the kernel: gemm.cpp:16)", "kernel 'gemm'",
                 "with M=101, N=128, K=128 this index is 101", "at most 100"});
}

/// What `kind` makes of two numbers: the least bound that it keeps.
int64_t leastBound(Term::Kind kind, int64_t a, int64_t b) {
  using enum Term::Kind;
  Artifact artifact = gemmArtifact();
  std::vector<int64_t> numbers;
  artifact.bounds = {{{{constant, a}, {size, 1}, {kind}}, 0, {}}};
  for (int64_t most = -50; most <= 50; ++most) {
    artifact.bounds[0].most = most;
    try {
      checkBounds(artifact, std::vector<int64_t>{0, b, 0}, numbers);
      return most;
    } catch (const Error &) {
    }
  }
  return std::numeric_limits<int64_t>::max();
}

TEST(Bounds, AreComputedAsInCpp) {
  using enum Term::Kind;
  constexpr int64_t none = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(leastBound(add, 7, 3), 10);
  EXPECT_EQ(leastBound(subtract, 7, 9), -2);
  EXPECT_EQ(leastBound(multiply, 7, 3), 21);
  EXPECT_EQ(leastBound(multiply, none, 3), none);
  EXPECT_EQ(leastBound(divide, -7, 3), -2);
  EXPECT_EQ(leastBound(divide, 7, 0), none);
  EXPECT_EQ(leastBound(remainder, -7, 3), -1);
  EXPECT_EQ(leastBound(remainder, 7, 0), none);
  EXPECT_EQ(leastBound(ceilDivide, 7, 3), 3);
  EXPECT_EQ(leastBound(ceilDivide, -7, 3), -2);
  EXPECT_EQ(leastBound(ceilDivide, -7, -3), 3);
  EXPECT_EQ(leastBound(ceilDivide, 6, 3), 2);
  EXPECT_EQ(leastBound(minimum, 7, 3), 3);
  EXPECT_EQ(leastBound(maximum, 7, 3), 7);
}

TEST_F(LaunchRefusal, MoreBlocksThanAGridHas) {
  artifact.grid.spaces = {{{{0}, {1}}, {1, 1}}};
  artifact.grid.cluster = {};
  arguments = gemmArguments(1 << 20, 1 << 20, 128);
  expectRefused(
      {"(in the kernel: gemm.cpp:10)", "1099511627776 tiles", "1073741824"});
}

} // namespace
} // namespace ashlar::test
