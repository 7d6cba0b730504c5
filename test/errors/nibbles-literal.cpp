// There are no literals of what is only stored.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [&] {
      // CHECK: nibbles-literal.cpp:[[@LINE+1]]: error: a fragment of e2m1 is loaded or converted, not filled: convert one of f32
      full(e2m1, {64}, 1.5);
    });
  });
}
