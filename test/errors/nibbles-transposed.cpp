// Rows of half bytes don't become columns on the way.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {64, 64});
    role("math", warps(1), [&] {
      // CHECK: nibbles-transposed.cpp:[[@LINE+1]]: error: rows of s4 don't become columns on the way, since two elements of a row share a byte: leave out .T(), or convert the fragment
      load(W.at({0, 0}).T(), {64, 64});
    });
  });
}
