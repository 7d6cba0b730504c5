#include "test/corpus/Draw.h"
#include "test/corpus/Interpret.h"
#include "test/corpus/Live.h"

namespace ashlar::corpus {
namespace {

/// Whether enough of the products show in the results. A pipeline's consumer
/// may have none.
bool isTelling(const Program &program) {
  const Products products = countProducts(program);
  return 10 * products.live >= 8 * products.all &&
         (products.all > 0 || program.family == Family::pipeline);
}

} // namespace

Program draw(Family family, uint64_t seed) {
  for (uint64_t attempt = 0;; ++attempt) {
    const uint64_t number = seed * 1000 + attempt;
    Program program =
        family == Family::compute ? drawCompute(number) : drawPipeline(number);
    program.seed = seed;
    if (isTelling(program) && isCorrect(program))
      return program;
  }
}

} // namespace ashlar::corpus
