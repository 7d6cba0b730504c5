// A place that an index chooses is one in memory, not in registers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Fragment part(const Fragment &x, const Index &i) {
  // CHECK-DAG: slice-of-fragment-by-index.cpp:[[@LINE+2]]:
  // CHECK-DAG: error: static assertion failed{{.*}}where a slice of a fragment begins is known when the kernel is built: write numbers of C++; a place that an index chooses is one in a shared tile or a tensor
  return slice(x, {i, 0}, {8, 64});
}
