// A variable of stages is one pipeline's.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline one = pipeline(2, smem(bf16, {64, 64}));
    Pipeline other = pipeline(2, smem(bf16, {64, 64}));
    role("math", warps(4), [&] {
      Stage s = one.wait();
      one.release(s);
      // CHECK: stage-variable-of-two-pipelines.cpp:[[@LINE+1]]: error: stage declared at stage-variable-of-two-pipelines.cpp:[[@LINE-2]] is of the pipeline declared at stage-variable-of-two-pipelines.cpp:[[@LINE-5]] and is assigned one of that declared at stage-variable-of-two-pipelines.cpp:[[@LINE-4]]; a variable keeps its pipeline: declare another one
      s = other.wait();
      other.release(s);
    });
  });
}
