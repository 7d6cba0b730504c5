// The body of a loop is traced once, to its end.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: loop-left-by-break.cpp:[[@LINE+1]]: error: a DSL loop was left by break or return: its body is traced once and must end by itself; use when(condition, [&] { ... }) around the rest of the body
      for (Index k : range(8)) {
        exp2(zeros(f32, {64, 64}));
        break;
      }
    });
  });
}
