// Scalars have the types that PTX passes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: scalar-type.cpp:[[@LINE+1]]: error: scalar 'alpha' is e4m3; a scalar parameter is f32, s32, bf16 or f16
    Scalar alpha = scalar("alpha", e4m3);
  });
}
