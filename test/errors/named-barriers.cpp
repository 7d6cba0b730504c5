// More named barriers than a CTA has.
#include "ashlar/ashlar.h"

#include <string>
#include <vector>

using namespace ashlar;

Kernel program() {
  // CHECK
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
