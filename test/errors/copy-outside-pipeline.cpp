// An asynchronous copy completes on a stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    SharedTile staged = shared(bf16, {64, 64});
    role("load", warps(1), [&] {
      // CHECK: copy-outside-pipeline.cpp:[[@LINE+1]]: error: copy writes the shared tile declared at copy-outside-pipeline.cpp:[[@LINE-2]], which is in no pipeline; an asynchronous copy completes on a stage: copy into a stage, or use store(tile, load(...))
      copy(A.tile({0, 0}), staged);
    });
  });
}
