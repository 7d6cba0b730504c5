// A fragment lives in the registers of one role.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    std::optional<Fragment> sum;
    role("math", warpgroups(1), [&] { sum.emplace(zeros(f32, {64, 64})); });
    role("store", warpgroups(1), [&] {
      // CHECK: fragment-outside-role.cpp:[[@LINE+1]]: error: fragment declared at fragment-outside-role.cpp:[[@LINE-2]] is used outside its role (at fragment-outside-role.cpp:[[@LINE-2]]); pass it through shared memory
      exp2(*sum);
    });
  });
}
