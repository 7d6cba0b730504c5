// The bits of what is only stored are those of no other type.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [&] {
      // CHECK: nibbles-bitcast.cpp:[[@LINE+1]]: error: bitcast gives no e8m0, which is only stored: convert to it
      bitcast(zeros(s8, {64}), e8m0);
    });
  });
}
