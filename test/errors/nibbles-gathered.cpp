// Single elements are at least bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", u4, {64});
    role("math", warps(1), [&] {
      // CHECK: nibbles-gathered.cpp:[[@LINE+1]]: error: tensor 'W' holds u4, two to a byte, and gather moves single elements: load or store rows of them
      gather(W, {columns({64})});
    });
  });
}
