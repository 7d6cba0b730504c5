// A role meets itself, the kernel does not.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    // CHECK: cluster-sync-outside-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    cluster_sync();
    role("all", warps(4), [&] {});
  });
}
