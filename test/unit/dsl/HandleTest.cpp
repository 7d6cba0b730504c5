// Handles used where they are not valid.
#include "Support.h"

#include <optional>
#include <thread>

using namespace ashlar;
using namespace ashlar::test;
using testing::HasSubstr;

namespace {
std::string at(int line) { return "HandleTest.cpp:" + std::to_string(line); }
} // namespace

TEST(Handle, AFragmentOutsideItsLoop) {
  int loop = __LINE__ + 3;
  Kernel k = in_role([] {
    std::optional<Fragment> kept;
    for (Index i : range(4))
      kept.emplace(zeros(f32, {64, 8}));
    *kept + 1;
  });
  EXPECT_THAT(mistake(k), HasSubstr(at(loop + 2) + ": error"));
  EXPECT_THAT(mistake(k),
              HasSubstr("fragment declared at " + at(loop + 1) +
                        " is used outside its loop (at " + at(loop)));
}

TEST(Handle, AStageInAnotherRole) {
  std::optional<Stage> kept;
  Kernel k = kernel("k", [&] {
    Pipeline ring = pipeline(2, smem(f32, {64, 8}));
    role("load", warps(1), [&] { kept.emplace(ring.acquire()); });
    role("math", warps(4), [&] { ring.release(*kept); });
  });
  EXPECT_THAT(mistake(k), HasSubstr("stage declared at " + at(__LINE__ - 3) +
                                    " is used outside its role"));
}

TEST(Handle, AVariableOfTheKernelAssignedInARole) {
  Kernel k = kernel("k", [&] {
    Index count = 0;
    role("load", warps(1), [&] { count = 1; });
  });
  EXPECT_THAT(mistake(k), HasSubstr("roles run at the same time"));
}

TEST(Handle, AVariableOfTheKernelReadInARole) {
  ir(kernel("k", [&] {
    Index steps = ceil_div(size("n"), 64);
    role("load", warps(1), [&] {
      for (Index i : range(steps))
        ;
    });
  }));
}

TEST(Handle, OfAnotherKernel) {
  std::optional<Size> kept;
  kernel("a", [&] { kept.emplace(size("n")); });
  Kernel k = kernel("b", [&] { *kept + 1; });
  EXPECT_THAT(mistake(k), HasSubstr("belongs to another kernel"));
}

TEST(Handle, AfterItsKernel) {
  std::optional<Size> kept;
  kernel("a", [&] { kept.emplace(size("n")); });
  EXPECT_THROW(*kept + 1, Error);
}

TEST(Handle, OnAnotherThread) {
  Kernel k = kernel("k", [&] {
    Size n = size("n");
    std::thread([&] { EXPECT_THROW(n + 1, Error); }).join();
  });
  ir(k);
}

TEST(Handle, AStageOfAnotherPipeline) {
  Kernel k = kernel("k", [&] {
    Pipeline a = pipeline(2, smem(f32, {64, 8}));
    Pipeline b = pipeline(2, smem(f32, {64, 8}));
    role("load", warps(1), [&] { b.commit(a.acquire()); });
  });
  EXPECT_THAT(mistake(k), HasSubstr("is of another pipeline"));
}

TEST(Handle, AConstantOutsideAnyKernelIsFine) {
  Index three = 3;
  ir(kernel("k", [&] {
    role("load", warps(1), [&] {
      for (Index i : range(three))
        i + three;
    });
  }));
}

TEST(Handle, ACallOutsideAKernel) {
  EXPECT_THROW(size("n"), Error);
  EXPECT_THROW(zeros(f32, {64, 8}), Error);
}

TEST(Handle, AKernelInAKernel) {
  EXPECT_THAT(mistake(kernel("a", [] { kernel("b", [] {}); })),
              HasSubstr("defined inside another kernel"));
}
