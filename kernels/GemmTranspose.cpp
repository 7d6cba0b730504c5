// Operands of a GEMM that have not K contiguous, and that wgmma does not
// transpose: rows of the tile go to the tensor cores by registers, columns
// through stages to which a role of its own transposes the ring's.

#include "GemmProgram.h"
#include "compiler/target/Target.h"

#include <numeric>

namespace ashlar {

/// What the rows of the tile are cut from.
Fragment GemmProgram::loadRows(const SharedTile &tile) const {
  return ashlar::load(above->isTransposed ? tile.T() : tile);
}

/// What its columns are cut from, at a time what lies in rows of a swizzle,
/// before and after.
void GemmProgram::transposeStages() const {
  // Short integers would be s32 in registers; these have as many bits.
  const ElementType bits = size_bytes(beside->type) == 1 ? e4m3 : beside->type;
  const int64_t atom = target::mostSwizzleBytes / size_bytes(bits);
  const int64_t columns = std::gcd(c.bn, atom), depth = std::gcd(c.bk, atom);
  forAllWork([&](const Work &work) {
    for ([[maybe_unused]] Index step : work.steps) {
      Stage from = ring->wait(), to = made->acquire();
      const SharedTile source = from[1].as(bits, beside->stage(c.bk)),
                       transposed = to[0].as(bits, beside->transposed(c.bk));
      for (int64_t k = 0; k < c.bk; k += depth)
        for (int64_t column = 0; column < c.bn; column += columns)
          store(slice(transposed, {column, k}, {columns, depth}).T(),
                ashlar::load(slice(source, {k, column}, {depth, columns})));
      made->commit(to);
      ring->release(from);
    }
  });
}

} // namespace ashlar
