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
      // CHECK
      exp2(*last);
    });
  });
}
