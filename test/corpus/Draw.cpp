#include "test/corpus/Draw.h"
#include "test/corpus/Interpret.h"

namespace ashlar::corpus {

Program draw(Family family, uint64_t seed) {
  for (uint64_t attempt = 0;; ++attempt) {
    const uint64_t number = seed * 1000 + attempt;
    Program program =
        family == Family::compute ? drawCompute(number) : drawPipeline(number);
    program.seed = seed;
    // Of a pipeline the consumer may only add.
    if (isCorrect(program) &&
        (family == Family::pipeline || interpret(program).products > 0))
      return program;
  }
}

} // namespace ashlar::corpus
