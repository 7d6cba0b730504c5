// What no launch knows, expected of each.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", s32, {1}, align(4));
    // CHECK: expect-beside-roles.cpp:[[@LINE+1]]: error: expect stands in no role, where each launch checks it, but no launch can compute this: compare what is of sizes, numbers and +, -, *, /, %, ceil_div, min, max of them, 1000 in all, or say it in a role
    expect(load_index(A.at({0})) > 0, "A has a number above 0");
  });
}
