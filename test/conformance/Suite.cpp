#include "test/conformance/Suite.h"

namespace ashlar::conformance {

std::vector<Case> allCases() {
  std::vector<Case> all;
  for (auto family :
       {integerCases, logicCases, floatCases, comparisonCases, conversionCases,
        moveCases, memoryCases, atomicCases, controlCases, warpCases,
        barrierCases, mbarrierCases, copyCases, matrixCases, wgmmaCases,
        miscellaneousCases, compiledCases}) {
    std::vector<Case> some = family();
    all.insert(all.end(), std::make_move_iterator(some.begin()),
               std::make_move_iterator(some.end()));
  }
  return all;
}

} // namespace ashlar::conformance
