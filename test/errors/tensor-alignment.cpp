// An alignment is a power of two.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tensor-alignment.cpp:[[@LINE+1]]: error: tensor 'A' is aligned to 24 bytes; the alignment is a power of two from the size of an element (2) to 128
    Tensor A = input("A", bf16, {64, 64}, align(24));
  });
}
