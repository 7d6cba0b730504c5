// A store does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: store-type.cpp:[[@LINE+1]]: error: tensor 'D' holds bf16 and the fragment holds f32; nothing is converted on the way: declare both with one type, or convert a fragment
      store(D.tile({0, 0}), zeros(f32, {64, 64}));
    });
  });
}
