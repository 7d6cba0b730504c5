// A parameter is passed by its name.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Tensor A = input("", bf16, {64, 64});
  });
}
