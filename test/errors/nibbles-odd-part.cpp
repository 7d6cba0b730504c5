// A part begins at a whole byte.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {64, 64});
    role("math", warps(1), [&] {
      Fragment w = load(W.at({0, 0}), {64, 64});
      // CHECK: nibbles-odd-part.cpp:[[@LINE+1]]: error: the offset of the part is 0x1, and two elements of s4 share a byte: make the last number even
      slice(w, {0, 1}, {64, 2});
    });
  });
}
