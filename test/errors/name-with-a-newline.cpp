// A name is printed as it is.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: name-with-a-newline.cpp:[[@LINE+1]]: error: a name has control characters; leave them out
    Size M = size("M\n");
  });
}
