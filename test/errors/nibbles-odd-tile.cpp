// Rows of a shared tile are whole bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: nibbles-odd-tile.cpp:[[@LINE+1]]: error: the shared tile is 64x33, and two elements of u4 share a byte: make the last number even
    shared(u4, {64, 33});
  });
}
