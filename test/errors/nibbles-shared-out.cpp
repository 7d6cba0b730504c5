// Threads hold whole bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {4, 96}), D = output("D", bf16, {4, 96});
    role("math", warps(4), [&] {
      // CHECK: nibbles-shared-out.cpp:[[@LINE+1]]: error: role 'math' cannot hold this fragment: the 192 elements of a fragment (4,48) do not divide among 128 threads: use a multiple of 128 elements or 64 threads; of four bits, two count as one
      Fragment w = load(W.at({0, 0}), {4, 96});
      store(D.at({0, 0}), convert(w, bf16));
    });
  });
}
