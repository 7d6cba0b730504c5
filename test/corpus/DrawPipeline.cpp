#include "test/corpus/Draw.h"
namespace ashlar::corpus {
Program drawPipeline(uint64_t seed) { return drawCompute(seed); }
} // namespace ashlar::corpus
