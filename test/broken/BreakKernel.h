// Kernels with one sync, arrive, signal or await dropped, doubled or moved, or
// with another barrier, counter or number in it.
#ifndef ASHLAR_TEST_BROKEN_BREAKKERNEL_H
#define ASHLAR_TEST_BROKEN_BREAKKERNEL_H

#include "test/corpus/Dice.h"

#include "ashlar/kernel.h"

#include <optional>
#include <set>
#include <string>

namespace ashlar::broken {

struct BrokenOperation {
  std::string call;   ///< "sync", "arrive", "signal" or "await"
  std::string change; ///< "dropped", "doubled", "moved", "index"
  std::string where;  ///< "Kernels.cpp:31"
  /// Where what stands in bodies with the same barrier or counter is from.
  std::set<std::string> places;
};

/// Changes the kernel in place. Nothing, and no change, where what was drawn is
/// none.
std::optional<BrokenOperation> breakOneOperation(Kernel &kernel,
                                                 corpus::Dice &dice);

} // namespace ashlar::broken

#endif
