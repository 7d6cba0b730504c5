// A fragment lives in the registers of one role.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    std::optional<Fragment> sum;
    role("math", warpgroups(1), [&] { sum.emplace(zeros(f32, {64, 64})); });
    role("store", warpgroups(1), [&] {
      // CHECK
      exp2(*sum);
    });
  });
}
