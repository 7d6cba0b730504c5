// Operands of a GEMM that have not K contiguous, and that wgmma does not
// transpose: a role of its own transposes them from stage to stage.

#include "GemmProgram.h"
#include "compiler/target/Target.h"

#include <numeric>

namespace ashlar {

void GemmProgram::transposeStages() const {
  forAllWork([&](const Work &work) {
    for ([[maybe_unused]] Index k : work.steps) {
      Stage from = ring->wait(), to = made->acquire();
      if (above->isTransposed)
        transpose(*above, from[0], to[0]);
      if (beside->isTransposed)
        transpose(*beside, from[1], to[above->isTransposed]);
      made->commit(to);
      ring->release(from);
    }
  });
}

/// At a time what lies in rows of a swizzle, before and after.
void GemmProgram::transpose(const Operand &operand, const SharedTile &from,
                            const SharedTile &to) const {
  // Short integers would be s32 in registers; these have as many bits.
  const ElementType bits = size_bytes(operand.type) == 1 ? e4m3 : operand.type;
  const SharedTile source = from.as(bits, operand.stage(c.bk)),
                   transposed = to.as(bits, operand.transposed(c.bk));
  const int64_t atom = target::mostSwizzleBytes / size_bytes(bits);
  const int64_t columns = std::gcd(operand.extent, atom),
                depth = std::gcd(c.bk, atom);
  for (int64_t k = 0; k < c.bk; k += depth)
    for (int64_t column = 0; column < operand.extent; column += columns)
      store(slice(transposed, {column, k}, {columns, depth}).T(),
            ashlar::load(slice(source, {k, column}, {depth, columns})));
}

} // namespace ashlar
