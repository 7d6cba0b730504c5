// The only producer waits before it has filled a stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("math", warpgroups(1), [&] {
      // CHECK: pipeline-waits-for-itself.cpp:[[@LINE+1]]: error: role 'math' waits for a stage of the pipeline that only it fills, before it has filled one: commit a stage before this wait
      Stage full = ring.wait();
      ring.release(full);
      Stage empty = ring.acquire();
      store(empty[0], zeros(bf16, {64, 64}));
      ring.commit(empty);
    });
  });
}
