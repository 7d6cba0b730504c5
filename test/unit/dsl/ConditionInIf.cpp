// Must not compile: the message says to use when.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel wrong() {
  return kernel("wrong", [] {
    Size n = size("n");
    if (n > 3)
      n + 1;
  });
}
