// A function of another file that is given what it can't take: the message
// says whose kernel that is.
#include "ashlar/ashlar.h"

using namespace ashlar;

// CHECK: library.h:1: error: at_most takes an index up to -1; give a number from 0 on, in kernel 'k' of mistake-in-library.cpp:12
#line 1 "library.h"
static void bound(const Size &size, int64_t most) { at_most(size, most); }
#line 11 "mistake-in-library.cpp"
Kernel program() {
  return kernel("k", [] { bound(size("K"), -1); });
}
