// Text stands in the format.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      // CHECK-DAG: print-of-text.cpp:[[@LINE+2]]:
      // CHECK-DAG: error: static assertion failed{{.*}}print shows indices, scalars, conditions, fragments, masks and numbers: text stands in the format, and what lies in memory is loaded first
      print("{}", "text");
    });
  });
}
