// A stage is written as a whole.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", s32, {64});
    Pipeline ring = pipeline(2, smem(s32, {64}));
    role("fill", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: scatter-to-a-stage.cpp:[[@LINE+1]]: error: the scatter writes single elements of a stage; a stage is written as a whole: store the fragment
      scatter(s[0], {columns({1, 64})}, zeros(s32, {1, 64}));
      ring.commit(s);
    });
    role("drain", warps(1), [&] {
      Stage s = ring.wait();
      store(D.at({0}), load(s[0]));
      ring.release(s);
    });
  });
}
