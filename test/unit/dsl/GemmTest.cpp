// The GEMM of the design, as its author writes it.
#define main gemm_main
#include "../../../examples/gemm.cpp"
#undef main

#include "Support.h"

using namespace ashlar::test;
using testing::HasSubstr;

TEST(Gemm, TracesToVerifiedTileIr) {
  std::string text = ir(gemm(GemmConfig{}));
  EXPECT_THAT(text, HasSubstr("tile.kernel @gemm cluster [2, 1]"));
  EXPECT_THAT(text, HasSubstr("by [128, 256] in <m:8, n, m>"));
  EXPECT_THAT(text,
              HasSubstr("iter_args(%arg2 = %9) -> (tensor<128x256xf32>)"));
  EXPECT_THAT(text, HasSubstr("multicast"));
}

TEST(Gemm, AStageTileThatDoesNotFitIsRefused) {
  GemmConfig config;
  config.bm = 96;
  EXPECT_THAT(mistake(gemm(config)), HasSubstr("gemm.cpp:"));
}
