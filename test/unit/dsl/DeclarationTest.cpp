// What a kernel declares, and the mistakes in it.
#include "Support.h"

using namespace ashlar;
using namespace ashlar::test;
using testing::HasSubstr;

namespace {
std::string declared(detail::Body<> body) { return mistake(kernel("k", body)); }
} // namespace

TEST(Declaration, Tensors) {
  EXPECT_THAT(declared([] { input("A", bf16, {1, 2, 3, 4, 5, 6}); }),
              HasSubstr("tensor 'A' has 6 dimensions; a tensor has 1 to 5"));
  EXPECT_THAT(declared([] { input("A", bf16, {}); }),
              HasSubstr("has 0 dimensions"));
  EXPECT_THAT(declared([] { input("A", bf16, {8}, align(24)); }),
              HasSubstr("is aligned to 24 bytes"));
  EXPECT_THAT(declared([] { input("", bf16, {8}); }), HasSubstr("has no name"));
}

TEST(Declaration, NamesAreTakenOnce) {
  int first = __LINE__ + 2;
  Kernel k = kernel("k", [] {
    size("A");
    input("A", bf16, {8});
  });
  EXPECT_THAT(mistake(k),
              HasSubstr("'A' is already taken at DeclarationTest.cpp:" +
                        std::to_string(first)));
}

TEST(Declaration, Coordinates) {
  EXPECT_THAT(declared([] {
                Tensor A = input("A", bf16, {8, 8});
                role("r", warps(1), [&] { A.tile({0}); });
              }),
              HasSubstr("'A' has 2 dimensions and tile() gives 1 coordinates"));
}

TEST(Declaration, Pipelines) {
  EXPECT_THAT(declared([] { pipeline(0, smem(bf16, {64, 64})); }),
              HasSubstr("has 0 stages"));
  EXPECT_THAT(declared([] { pipeline(2); }), HasSubstr("hold no tile"));
  EXPECT_THAT(declared([] { pipeline(2, smem(bf16, {64, -1})); }),
              HasSubstr("has the extents 64x-1"));
  EXPECT_THAT(declared([] {
                Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
                role("r", warps(1), [&] { ring.wait()[1]; });
              }),
              HasSubstr("has no tile 1"));
}

TEST(Declaration, Roles) {
  EXPECT_THAT(declared([] { role("r", warps(0), [] {}); }),
              HasSubstr("has 0 warps"));
  EXPECT_THAT(declared([] { role("r", warps(1), registers(41), [] {}); }),
              HasSubstr("a budget of 41 registers"));
  EXPECT_THAT(
      declared([] { role("r", warps(1), [] { role("s", warps(1), [] {}); }); }),
      HasSubstr("role 's' stands inside a role"));
  EXPECT_THAT(declared([] {
                role("r", warps(1), [] {});
                role("r", warps(1), [] {});
              }),
              HasSubstr("already taken"));
}

TEST(Declaration, Schedules) {
  EXPECT_THAT(declared([] {
                cluster({2, 1});
                persistent({8, 8}, {1, 1});
                grid({8}, {1});
              }),
              HasSubstr("the tile loop 1"));
  EXPECT_THAT(declared([] { grid({8}, {0}); }), HasSubstr("has the extents 0"));
  EXPECT_THAT(declared([] { cluster({4, 4}); }), HasSubstr("16 CTAs"));
}

TEST(Declaration, DirectionOfTensors) {
  EXPECT_THAT(declared([] {
                Tensor A = input("A", f32, {64, 8});
                role("r", warps(4),
                     [&] { store(A.tile({0, 0}), zeros(f32, {64, 8})); });
              }),
              HasSubstr("'A' is an input and is written"));
  EXPECT_THAT(declared([] {
                Tensor A = output("A", f32, {64, 8});
                role("r", warps(4), [&] { load(A.tile({0, 0}), {64, 8}); });
              }),
              HasSubstr("'A' is an output and is read"));
}

TEST(Declaration, ElementTypesAgree) {
  EXPECT_THAT(declared([] {
                Tensor A = output("A", bf16, {64, 8});
                role("r", warps(4),
                     [&] { store(A.tile({0, 0}), zeros(f32, {64, 8})); });
              }),
              HasSubstr("holds bf16 and the fragment holds f32"));
}

TEST(Declaration, LeadingCoordinatesArePlain) {
  std::string text = ir(kernel("k", [] {
    Tensor A = input("A", bf16, {4, 512, 512});
    role("r", warps(4), [&] { load(A.tile({3, 2, 1}), {64, 32}); });
  }));
  EXPECT_THAT(text, HasSubstr("%c128 = arith.constant"));
  EXPECT_THAT(text, HasSubstr("tile.load %0[%c3, %c128, %c32]"));
}

TEST(Declaration, TheVerifierSpeaksAtTheAuthorsLine) {
  int mistaken = __LINE__ + 5;
  Kernel k = kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {96, 64}), smem(bf16, {64, 64}));
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      mma(s[0], s[1].T(), zeros(f32, {96, 64}));
    });
  });
  EXPECT_THAT(mistake(k),
              HasSubstr("DeclarationTest.cpp:" + std::to_string(mistaken)));
  EXPECT_THAT(mistake(k), HasSubstr("has M = 96"));
}

TEST(Declaration, MmaShapes) {
  Kernel k = kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}), smem(bf16, {32, 64}));
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      mma(s[0], s[1], zeros(f32, {64, 32}));
    });
  });
  EXPECT_THAT(mistake(k), HasSubstr("K is 64 and 32; is a .T() missing?"));
}

TEST(Declaration, KernelNames) {
  EXPECT_THAT(mistake(kernel("a b", [] {})), HasSubstr("is not an identifier"));
}
