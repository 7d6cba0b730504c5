// A fragment lives in the loop that made it.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      std::optional<Fragment> last;
      for (Index i : range(4))
        last.emplace(zeros(f32, {64, 64}));
      // CHECK: fragment-outside-loop.cpp:[[@LINE+1]]: error: fragment declared at fragment-outside-loop.cpp:[[@LINE-1]] is used outside its loop (at fragment-outside-loop.cpp:[[@LINE-2]]); declare it before the loop and assign it inside
      exp2(*last);
    });
  });
}
