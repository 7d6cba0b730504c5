// What an SM holds is decided when the kernel is compiled.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK-DAG: ctas-per-sm-of-size.cpp:[[@LINE+2]]:
    // CHECK-DAG: error: static assertion failed{{.*}}this is known only when the kernel runs: an integer of C++ is meant here, which is known when the kernel is built
    ctas_per_sm(M);
    role("math", warps(4), [] {});
  });
}
