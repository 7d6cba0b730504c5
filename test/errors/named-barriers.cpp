// More named barriers than a CTA has.
#include "ashlar/ashlar.h"

#include <string>
#include <vector>

using namespace ashlar;

Kernel program() {
  // CHECK: named-barriers.cpp:[[@LINE+1]]: error: kernel 'k' needs 16 named barriers with those of its roles; a CTA has 15: let roles share some
  return kernel("k", [] {
    std::vector<Barrier> barriers;
    for (int i = 0; i < 16; ++i)
      barriers.push_back(barrier("b" + std::to_string(i)));
    role("math", warpgroups(1), [&] {
      for (Barrier &each : barriers)
        each.sync();
    });
  });
}
