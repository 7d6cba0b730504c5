// A pipeline needs something in its stages.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: pipeline-without-tiles.cpp:[[@LINE+1]]: error: the stages of the pipeline hold no tile; give it at least one smem(type, {extents})
    pipeline(2);
  });
}
