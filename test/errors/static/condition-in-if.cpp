// A condition of the kernel is not known when C++ runs.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    role("math", warpgroups(1), [&] {
      // CHECK-DAG: condition-in-if.cpp:[[@LINE+2]]:
      // CHECK-DAG: error: static assertion failed{{.*}}a condition of the kernel is known only when the kernel runs, so C++ cannot branch on it: use when(condition, [&] { ... }) or select(condition, a, b), and range(count) for a loop
      if (M > 64)
        zeros(f32, {64, 64});
    });
  });
}
