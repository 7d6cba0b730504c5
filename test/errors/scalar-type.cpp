// Scalars have the types that PTX passes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Scalar alpha = scalar("alpha", e4m3);
  });
}
