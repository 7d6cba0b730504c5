// Conditionals and attempts.
#include "Support.h"

using namespace ashlar;
using namespace ashlar::test;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(Branch, WhenYieldsWhatItAssigns) {
  std::string text = ir(kernel("k", [] {
    Size n = size("n");
    role("math", warpgroups(1), [&] {
      Fragment a = zeros(f32, {64, 8});
      when(n > 3, [&] { a = a + 1; });
      a + a;
    });
  }));
  EXPECT_THAT(text, ContainsRegex("scf.if %[0-9]+ -> \\(tensor<64x8xf32>\\)"));
  EXPECT_THAT(text, HasSubstr("} else {"));
}

TEST(Branch, WhenWithoutAssignmentHasNoElse) {
  std::string text = ir(kernel("k", [] {
    Size n = size("n");
    Barrier b = barrier("b");
    role("math", warps(1), [&] { when(n > 3, [&] { b.sync(); }); });
  }));
  EXPECT_THAT(text, HasSubstr("scf.if"));
  EXPECT_THAT(text, Not(HasSubstr("else")));
}

TEST(Branch, BothSidesYield) {
  std::string text = ir(kernel("k", [] {
    Size n = size("n");
    role("math", warps(1), [&] {
      Index a = 0, b = 1;
      for (Index k : range(n))
        when(k == 0 || !(n < 7), [&] { a = k; }, [&] { b = a; });
    });
  }));
  EXPECT_THAT(text, ContainsRegex("scf.if %[0-9]+ -> \\(index, index\\)"));
  EXPECT_THAT(text, ContainsRegex("iter_args\\(%arg[12] = "));
}

TEST(Branch, TryWaitGivesAStageWhereItSucceeds) {
  std::string text = ir(kernel("k", [] {
    Pipeline ring = pipeline(2, smem(f32, {64, 8}));
    role("math", warpgroups(1), [&] {
      Fragment a = zeros(f32, {64, 8});
      when(
          ring.try_wait(),
          [&](Stage s) {
            a = load(s[0]);
            ring.release(s);
          },
          [&] { a = a + 1; });
    });
  }));
  EXPECT_THAT(text, HasSubstr("%ready, %stage = tile.try_wait"));
  EXPECT_THAT(text, HasSubstr("scf.if %ready -> (tensor<64x8xf32>)"));
  EXPECT_THAT(text, HasSubstr("tile.buffer %stage[0]"));
}

TEST(Branch, ConditionsCombineWithBools) {
  std::string text = ir(kernel("k", [] {
    Size n = size("n");
    bool causal = false;
    role("math", warps(1), [&] { when(n > 3 && causal, [] {}); });
  }));
  EXPECT_THAT(text, HasSubstr("scf.if %false"));
}
