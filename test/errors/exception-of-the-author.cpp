// What the author throws is the author's; the next kernel starts afresh.
#include "ashlar/ashlar.h"

#include <stdexcept>

using namespace ashlar;

Kernel program() {
  try {
    kernel("first", [] {
      role("math", warpgroups(1), [] {
        for (Index k : range(8))
          when(k < 4, [] { throw std::runtime_error("no such tile"); });
      });
    });
  } catch (const std::runtime_error &error) {
    return kernel("second", [&] {
      // CHECK: exception-of-the-author.cpp:[[@LINE+1]]: error: role 'no such tile' has 0 warps; a role has 1 to 32
      role(error.what(), warps(0), [] {});
    });
  }
  throw std::logic_error("the exception was lost");
}
