// Within a CTA a tile goes through registers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      store(a, zeros(f32, {64, 64}));
      // CHECK: copy-within-cta.cpp:[[@LINE+1]]: error: copy is given two shared tiles of this CTA, and the copy engine moves them to peers only, copy(a, b.peer(rank)): within a CTA a tile goes through registers, store(b, load(a))
      copy(a, b);
    });
  });
}
