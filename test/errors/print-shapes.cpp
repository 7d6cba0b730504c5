// A line has an element of each fragment.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      // CHECK: print-shapes.cpp:[[@LINE+1]]: error: print of fragments of 32 and 64; their shapes must agree, since each line has an element of each: broadcast one of them
      print("{} {}", zeros(f32, {32}), zeros(f32, {64}));
    });
  });
}
