// Arithmetic on indices, scalars and fragments.
#include "Support.h"

#include <limits>

using namespace ashlar;
using namespace ashlar::test;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Arithmetic, ConstantsFold) {
  std::string text = ir(in_role([] {
    for (Index k : range(ceil_div(Index(100), 64) * 3 + 1))
      ;
  }));
  EXPECT_THAT(text, HasSubstr("%c7"));
  EXPECT_THAT(text, Not(HasSubstr("arith.muli")));
}

TEST(Arithmetic, OperatorsCarryTheAuthorsLine) {
  int first = __LINE__ + 3;
  Kernel k = kernel("k", [] {
    Size n = size("n");
    n * 12 - 4;
    role("r", warps(4), [&] {
      Fragment a = zeros(f32, {64, 8});
      a * 2.0f;
      1 - a;
    });
  });
  std::string text = ir(k, true);
  auto at = [](int line) {
    return "ArithmeticTest.cpp\":" + std::to_string(line);
  };
  EXPECT_THAT(text, ContainsRegex("arith.muli .*" + at(first)));
  EXPECT_THAT(text, ContainsRegex("arith.mulf .*" + at(first + 3)));
  EXPECT_THAT(text, ContainsRegex("arith.subf .*" + at(first + 4)));
}

TEST(Arithmetic, BroadcastsLikeNumpy) {
  std::string text = ir(in_role([] {
    Fragment a = zeros(f32, {64, 8});
    Fragment bias = zeros(f32, {8}), maximum = zeros(f32, {64});
    exp2(a - along_rows(maximum)) + bias;
  }));
  EXPECT_THAT(text,
              HasSubstr("along [0] : tensor<64xf32> -> tensor<64x8xf32>"));
  EXPECT_THAT(text, HasSubstr("along [1] : tensor<8xf32> -> tensor<64x8xf32>"));
}

TEST(Arithmetic, ShapesThatDoNotBroadcast) {
  EXPECT_THAT(mistake(in_role([] { zeros(f32, {64, 8}) + zeros(f32, {64}); })),
              HasSubstr("64 and 64x8 don't broadcast"));
}

TEST(Arithmetic, ElementTypesAgree) {
  EXPECT_THAT(
      mistake(in_role([] { zeros(f32, {64, 8}) + zeros(bf16, {64, 8}); })),
      HasSubstr("convert one of them"));
}

TEST(Arithmetic, MasksSelect) {
  std::string text = ir(in_role([] {
    Fragment a = zeros(f32, {64, 8});
    Mask positive = a > 0 && !(a >= 100.0);
    a = select(positive, a, -std::numeric_limits<float>::infinity());
  }));
  EXPECT_THAT(text, HasSubstr("arith.cmpf ogt"));
  EXPECT_THAT(text, HasSubstr("arith.andi"));
  EXPECT_THAT(text, HasSubstr("arith.select"));
  EXPECT_THAT(text, HasSubstr("0xFF800000"));
}

TEST(Arithmetic, Conversions) {
  std::string text = ir(in_role([] {
    Fragment a = zeros(f32, {64, 8});
    Fragment b = convert(a, bf16);
    convert(b, f32);
    convert(convert(a, e4m3), bf16);
    convert(b, f16);
    convert(convert(convert(a, s32), s8), f16);
  }));
  for (const char *op : {"truncf", "extf", "fptosi", "trunci", "sitofp"})
    EXPECT_THAT(text, HasSubstr(std::string("arith.") + op));
  EXPECT_THAT(text, HasSubstr("tensor<64x8xf8E4M3FN>"));
  EXPECT_THAT(mistake(in_role([] { zeros(tf32, {64, 8}); })),
              HasSubstr("a fragment can't hold tf32; use f32"));
}

TEST(Arithmetic, MemoryTypes) {
  std::string text = ir(kernel("k", [] {
    Tensor A = input("A", tf32, {64, 8}), B = input("B", u8, {64, 16});
    Tensor C = output("C", tf32, {64, 8});
    role("r", warps(4), [&] {
      Fragment a = load(A.tile({0, 0}), {64, 8});
      store(C.tile({0, 0}), a + 1);
      load(B.tile({0, 0}), {64, 16}) + 1;
    });
  }));
  EXPECT_THAT(text, HasSubstr("<tf32, 2> -> tensor<64x8xf32>"));
  EXPECT_THAT(text, HasSubstr("arith.extui"));
}

TEST(Arithmetic, ScalarsMeetFragments) {
  std::string text = ir(kernel("k", [] {
    Scalar alpha = scalar("alpha", f32);
    role("r", warps(4), [&] {
      Fragment a = zeros(f32, {64, 8});
      a = alpha * a + rsqrt(alpha + 1) / a;
      when(alpha > 0.5, [&] { a *= alpha; });
    });
  }));
  EXPECT_THAT(text, ContainsRegex("tile.splat %[0-9]+ : f32"));
  EXPECT_THAT(text, HasSubstr("math.rsqrt"));
}

TEST(Arithmetic, Activations) {
  std::string text = ir(in_role([] {
    Fragment a = zeros(f32, {64, 8});
    a = relu(a) + sigmoid(a) + gelu(a) + silu(a) + exp(a) + tanh(a) + log2(a) +
        sqrt(a) + abs(a) + max(a, 1) + min(2, a);
  }));
  EXPECT_THAT(text, ContainsRegex("math.exp %[0-9]+ :"));
  EXPECT_THAT(text, ContainsRegex("math.exp %[0-9]+ fastmath<afn>"));
}

TEST(Arithmetic, IndexFunctions) {
  std::string text = ir(kernel("k", [] {
    Size n = size("n");
    role("r", warps(1), [&] {
      Index a = min(n, 8) + max(4, n) % 3 - n / 2;
      a += 2;
      a = select(a > n, a, 0);
      a = -a;
    });
  }));
  for (const char *op : {"minsi", "maxsi", "remsi", "divsi", "select"})
    EXPECT_THAT(text, HasSubstr(std::string("arith.") + op));
}
