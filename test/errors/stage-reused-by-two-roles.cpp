// One role reuses a stage: two would write the same bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] { ring.commit(ring.acquire()); });
    role("read", warps(1), [&] { ring.release(ring.wait()); });
    role("write", warpgroups(1), [&] {
      Stage s = ring.wait();
      // CHECK: stage-reused-by-two-roles.cpp:[[@LINE+1]]: error: this writes into a stage that was waited for, and other roles wait for it too: a stage is rewritten only where one role drains the pipeline, or fills another one that the others drain
      store(s[0], zeros(bf16, {64, 64}));
      ring.release(s);
    });
  });
}
