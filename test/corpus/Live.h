// Which products of a program count.
#ifndef ASHLAR_TEST_CORPUS_LIVE_H
#define ASHLAR_TEST_CORPUS_LIVE_H

#include "test/corpus/Program.h"

namespace ashlar::corpus {

/// The products that all CTAs compute, and those of them that reach a result:
/// of the others nobody would see that they are wrong.
struct Products {
  int64_t all = 0, live = 0;
};
Products countProducts(const Program &program);

} // namespace ashlar::corpus

#endif
