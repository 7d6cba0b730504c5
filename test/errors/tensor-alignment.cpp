// An alignment is a power of two.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Tensor A = input("A", bf16, {64, 64}, align(24));
  });
}
