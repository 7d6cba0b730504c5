// How many products could be in flight, and how many are.
#ifndef ASHLAR_TEST_CORPUS_WAITS_H
#define ASHLAR_TEST_CORPUS_WAITS_H

#include "test/corpus/Observe.h"
#include "test/corpus/Program.h"

#include <optional>

namespace ashlar::corpus {

/// The products of one agent, in program order, and when they must be complete.
struct ProductOrder {
  int64_t cta = 0;
  int role = 0, instance = 0;
  int64_t products = 0;
  /// At [n], how many must be complete before the product behind the first n is
  /// issued: those whose sums are used by anything but a product that goes on
  /// with the same sum, and those whose stages must be released. A release may
  /// stand back behind the next product, unless the stages that the role waits
  /// for next would not come without it.
  std::vector<int64_t> needed;
};

/// From the program alone, its loops unrolled as far as they run. An agent
/// without products is left out.
std::vector<ProductOrder> productOrders(const Program &program);

/// What waits take out of flight too early.
struct Lost {
  int64_t products = 0; ///< summed over the waits that were executed
  std::string first;    ///< the first such wait, in words
};

/// Over the waits that were executed: how many products less they leave in
/// flight than the program allows. Nothing where the compiler issues other
/// products than the program has. `firstWarps` are the roles'.
std::optional<Lost> lostInFlight(const Program &program,
                                 const std::vector<int> &firstWarps,
                                 const WgmmaRecords &records);

} // namespace ashlar::corpus

#endif
