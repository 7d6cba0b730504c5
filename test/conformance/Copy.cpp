// The asynchronous copies: cp.async, bulk copies, TMA.
#include "test/conformance/CopyKernel.h"

namespace ashlar::conformance {

std::vector<Case> copyCases() {
  std::vector<Case> cases;
  addThreadCopyCases(cases);
  addBulkCopyCases(cases);
  addTensorLoadCases(cases);
  addTensorStoreCases(cases);
  addMulticastCases(cases);
  addTensorMapCases(cases);
  return cases;
}

} // namespace ashlar::conformance
