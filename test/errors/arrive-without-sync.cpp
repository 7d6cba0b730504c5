// Who arrives at a barrier tells somebody who waits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Barrier written = barrier("written");
    role("math", warps(4), [&] {
      // CHECK: arrive-without-sync.cpp:[[@LINE+1]]: error: no role waits on barrier 'written', at which this one arrives: call sync() in the role that is to wait, or leave the barrier out
      written.arrive();
    });
  });
}
