#include "test/corpus/Draw.h"
#include "test/corpus/Interpret.h"

namespace ashlar::corpus {

Program draw(Family family, uint64_t seed) {
  for (uint64_t attempt = 0;; ++attempt) {
    const uint64_t number = seed * 1000 + attempt;
    Program program =
        family == Family::compute ? drawCompute(number) : drawPipeline(number);
    program.seed = seed;
    const Interpretation result = interpret(program);
    if (result.problem.empty() && result.products > 0)
      return program;
  }
}

} // namespace ashlar::corpus
