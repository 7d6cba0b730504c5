// A kernel that hangs, for docs/debugging.md: the consumer waits for one stage
// more than the producer fills.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel hang() {
  return kernel("hang", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N});
    Tensor Y = output("Y", f32, {N});
    Pipeline ring = pipeline(2, smem(f32, {128}));

    role("load", warps(1), [&] {
      for (Index i : range(ceil_div(N, 128))) {
        Stage s = ring.acquire();
        copy(X.tile({i}), s[0]);
        ring.commit(s);
      }
    });

    role("compute", warps(4), [&] {
      for (Index i : range(ceil_div(N, 128) + 1)) {
        Stage s = ring.wait();
        store(Y.tile({i}), load(s[0]));
        ring.release(s);
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, hang(), {.sizes = {{"N", 1000}}});
}
