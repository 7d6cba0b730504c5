// What a loop carries keeps its type.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment sum = zeros(f32, {64, 64});
      for (Index i : range(4))
        // CHECK: variable-changes-type.cpp:[[@LINE+1]]: error: fragment declared at variable-changes-type.cpp:[[@LINE-2]] is 64x64 f32 and is assigned 64x64 bf16 in the loop at variable-changes-type.cpp:[[@LINE-1]]; a variable keeps its type there: declare another one
        sum = convert(sum, bf16);
    });
  });
}
