// Operations on the elements of fragments, and the same on numbers of the host.
#ifndef ASHLAR_TEST_KERNELS_RANDOMELEMENTS_H
#define ASHLAR_TEST_KERNELS_RANDOMELEMENTS_H

#include "ashlar/ashlar.h"

#include <vector>

namespace ashlar::test {

/// Of operands that are integers of at most 100, it gives such or larger ones,
/// and in these types it gives them exactly.
struct ElementOperation {
  const char *name;
  int operands;
  std::vector<ElementType> types;
  Fragment (*ofFragments)(const Fragment &a, const Fragment &b,
                          const Fragment &c);
  double (*ofNumbers)(double a, double b, double c);
};

const std::vector<ElementOperation> &elementOperations();

} // namespace ashlar::test

#endif
