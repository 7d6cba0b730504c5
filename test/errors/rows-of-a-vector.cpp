// A vector has no rows to count.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(4), [] {
      // CHECK: rows-of-a-vector.cpp:[[@LINE+1]]: error: rows of a vector of 64 elements; it has none: columns(shape) counts its elements
      rows({64});
    });
  });
}
