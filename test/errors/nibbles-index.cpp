// An index is read of whole bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {64});
    role("math", warps(1), [&] {
      // CHECK: nibbles-index.cpp:[[@LINE+1]]: error: load_index reads s4; an index is read of s32, s16, s8 or u8: use load_scalar
      load_index(W.at({0}));
    });
  });
}
