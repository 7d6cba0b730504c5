// A fragment that the registers of its threads can't hold.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      exp2(zeros(f32, {128, 512}));
    });
  });
}
