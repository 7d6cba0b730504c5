// Budgets that add up to more than a CTA has.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: register-sum.cpp:[[@LINE+1]]: error: the register budgets of kernel 'k' add up to 97280, 31744 over the 65536 that its 512 threads start with (128 each): 'load' asks for 40 in each of 128 threads; 'math' asks for 240 in each of 384 threads; lower one of them
  return kernel("k", [] {
    role("load", warps(4), registers(40), [] {});
    role("math", warpgroups(3), registers(240), [] {});
  });
}
