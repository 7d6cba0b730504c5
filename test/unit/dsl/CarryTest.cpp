// Variables that a loop carries.
#include "Support.h"

using namespace ashlar;
using namespace ashlar::test;
using testing::HasSubstr;
using testing::Not;

TEST(Carry, AnAssignedFragmentIsAnIterArgument) {
  std::string text = ir(in_role([] {
    Fragment sum = zeros(f32, {64, 8});
    for (Index k : range(4))
      sum = sum + 1;
  }));
  EXPECT_THAT(text, HasSubstr("iter_args"));
  EXPECT_THAT(text, HasSubstr("-> (tensor<64x8xf32>)"));
  EXPECT_THAT(text, HasSubstr("scf.yield"));
}

TEST(Carry, AFragmentThatIsOnlyReadIsNot) {
  std::string text = ir(in_role([] {
    Fragment one = full(f32, {64, 8}, 1);
    for (Index i : range(4))
      for (Index k : range(4))
        one + one;
  }));
  EXPECT_THAT(text, Not(HasSubstr("iter_args")));
}

TEST(Carry, NestedLoopsCarryThroughBoth) {
  std::string text = ir(in_role([] {
    Index count = 0;
    for (Index i : range(4))
      for (Index k : range(4))
        count += 1;
  }));
  size_t first = text.find("iter_args");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(text.find("iter_args", first + 1), std::string::npos);
}

TEST(Carry, ACopyIsAVariableOfItsOwn) {
  std::string text = ir(kernel("k", [] {
    Tensor T = output("T", f32, {64, 8});
    role("math", warpgroups(1), [&] {
      Fragment a = zeros(f32, {64, 8});
      Fragment before = a;
      for (Index k : range(4))
        a = a + 1;
      store(T.tile({0, 0}), before);
    });
  }));
  // what is stored is the splat, not the result of the loop
  EXPECT_THAT(text, testing::ContainsRegex("tile.store %[0-9]+ to"));
  size_t splat = text.find(" = tile.splat");
  std::string name = text.substr(text.rfind('%', splat), 2);
  EXPECT_THAT(text, HasSubstr("tile.store " + name + " to"));
}

TEST(Carry, AValueThatIsReplacedWithoutBeingReadIsCarriedOut) {
  std::string text = ir(kernel("k", [] {
    Tensor T = output("T", f32, {64, 8});
    role("math", warpgroups(1), [&] {
      Fragment last = zeros(f32, {64, 8});
      for (Index k : range(4))
        last = full(f32, {64, 8}, 2);
      store(T.tile({0, 0}), last);
    });
  }));
  EXPECT_THAT(text, testing::ContainsRegex("tile.store %[0-9]+ to"));
  EXPECT_THAT(text, HasSubstr("iter_args"));
}

TEST(Carry, ASwapCarriesBoth) {
  std::string text = ir(in_role([] {
    Index a = 0, b = 1;
    for (Index k : range(4)) {
      Index old = a;
      a = b;
      b = old;
    }
  }));
  EXPECT_THAT(text, testing::ContainsRegex(
                        "iter_args\\(%arg1 = %c[01], %arg2 = %c[01]\\)"));
  EXPECT_THAT(text, HasSubstr("scf.yield %arg2, %arg1"));
}

TEST(Carry, TheTypeOfACarriedVariableIsFixed) {
  Kernel k = in_role([] {
    Fragment a = zeros(f32, {64, 8});
    for (Index i : range(4))
      a = convert(a, bf16);
  });
  EXPECT_THAT(mistake(k), HasSubstr("is 64x8 f32 and is assigned 64x8 bf16"));
}

TEST(Carry, BreakIsAnError) {
  int loop = __LINE__ + 2;
  Kernel k = in_role([] {
    for (Index i : range(4))
      break;
  });
  EXPECT_THAT(mistake(k), HasSubstr("a DSL loop was left by break or return"));
  EXPECT_THAT(mistake(k), HasSubstr("CarryTest.cpp:" + std::to_string(loop)));
}

TEST(Carry, ReturnFromALoopIsAnError) {
  Kernel k = in_role([] {
    for (Index i : range(4))
      for (Index j : range(4))
        return;
  });
  EXPECT_THAT(mistake(k), HasSubstr("a DSL loop was left by break or return"));
}

TEST(Carry, ContinueIsFine) {
  ir(in_role([] {
    for (Index i : range(4))
      continue;
  }));
}

TEST(Carry, AStepOfZeroIsAnError) {
  Kernel k = in_role([] {
    for (Index i : range(0, 4, 0))
      ;
  });
  EXPECT_THAT(mistake(k), HasSubstr("has the step 0"));
}
