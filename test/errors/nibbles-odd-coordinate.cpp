// What is moved begins at a whole byte.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor W = input("W", s4, {64, N}), D = output("D", s4, {64, N});
    role("math", warps(1), [&] {
      for (Index n : range(N)) {
        // CHECK: nibbles-odd-coordinate.cpp:[[@LINE+1]]: error: begins at a last coordinate that is not known to be even, and two elements of s4 share a byte: promise it with multiple_of(index, 2)
        Fragment w = load(W.at({0, n}), {64, 64});
        store(D.at({0, 0}), w);
      }
    });
  });
}
