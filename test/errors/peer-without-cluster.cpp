// A CTA without a cluster has no peers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      // CHECK: peer-without-cluster.cpp:[[@LINE+1]]: error: peer is of a cluster, and the kernel has none: call cluster({...}) before the roles
      store(tile.peer(1), zeros(f32, {64, 64}));
    });
  });
}
