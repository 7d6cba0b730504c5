// There is something to wait for.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("all", warps(4), [&] {
      // CHECK: take-nothing.cpp:[[@LINE+1]]: error: take is given no tile: name those that are awaited
      take({});
    });
  });
}
