// Candidates of each family; `draw` takes the first correct one.
#ifndef ASHLAR_TEST_CORPUS_DRAW_H
#define ASHLAR_TEST_CORPUS_DRAW_H

#include "test/corpus/Program.h"

namespace ashlar::corpus {

Program drawCompute(uint64_t seed);
Program drawPipeline(uint64_t seed);

} // namespace ashlar::corpus

#endif
