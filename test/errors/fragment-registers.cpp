// A fragment that the registers of its threads can't hold.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {128, 512});
    role("math", warpgroups(1), [&] {
      // CHECK: fragment-registers.cpp:[[@LINE+1]]: error: role 'math' cannot hold this fragment: it takes 512 registers of each of its 128 threads, which have 255: use smaller tiles or more warpgroups
      store(D.at({0, 0}), zeros(f32, {128, 512}));
    });
  });
}
