// Each {} of the text is a value.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      // CHECK: print-places.cpp:[[@LINE+1]]: error: print has 1 value for 2 places: each {} of the text is one
      print("{} and {}", Index(1));
    });
  });
}
