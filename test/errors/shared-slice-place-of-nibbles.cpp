// The places of parts are those of elements, of which two have a byte.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor W = input("W", s4, {64, 512}), D = output("D", f32, {64, 128});
    Pipeline ring = pipeline(2, smem(s4, {64, 512}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(W.at({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warps(4), [&] {
      Stage s = ring.wait();
      for (Index i : range(N)) {
        // CHECK: shared-slice-place-of-nibbles.cpp:[[@LINE+1]]: error: the part begins along dimension 1 at an index that is not known to be a multiple of 256, as the swizzle atoms of the tile do: promise it with multiple_of(index, 256)
        SharedTile part = slice(s[0], {0, 128 * i}, {64, 128});
        store(D.at({0, 0}), convert(load(part), f32));
      }
      ring.release(s);
    });
  });
}
