// Rows of half bytes of a shared tile don't become columns either.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {64, 64});
    SharedTile tile = shared(s4, {64, 64});
    role("math", warps(4), [&] {
      store(tile, load(W.at({0, 0}), {64, 64}));
      // CHECK: nibbles-read-transposed.cpp:[[@LINE+1]]: error: rows of s4 don't become columns on the way, since two elements of a row share a byte: leave out .T(), or convert the fragment
      load(tile.T());
    });
  });
}
