// A tensor has many tiles: which one is copied?
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N});
    Pipeline ring = pipeline(2, smem(f32, {64, 64}));
    role("load", warps(1), [&] {
      Stage stage = ring.acquire();
      // CHECK-DAG: copy-of-tensor.cpp:[[@LINE+2]]:
      // CHECK-DAG: error: static assertion failed{{.*}}a tensor stands where a place in it is meant: tensor.tile({...}) counts in tiles, tensor.at({...}) in elements
      copy(X, stage[0]);
      ring.commit(stage);
    });
  });
}
