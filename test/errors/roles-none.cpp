// A kernel in which nothing runs.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: roles-none.cpp:[[@LINE+1]]: error: kernel 'k' has no role, so nothing would run: add one
  return kernel("k", [] { size("M"); });
}
