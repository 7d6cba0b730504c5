// A GEMM of f32 on tensor cores that multiply tf32. Each number is big + small,
// both of tf32, and of the four products that of two small ones is less than
// f32 tells. The tensor cores cut off what tf32 has not, so a tile in shared
// memory is its own big part; rounded, as in registers, big and small parts
// have errors to either side.

#include "GemmProgram.h"

namespace ashlar {

namespace {

/// The bits of an f32 that tf32 has not.
constexpr int32_t others = 0x1fff;

Fragment cutOff(const Fragment &x) {
  return bitcast(bitcast(x, s32) & ~others, f32);
}
Fragment rounded(const Fragment &x) {
  return bitcast((bitcast(x, s32) + (others + 1) / 2) & ~others, f32);
}

} // namespace

/// The small parts of the operand that the products read from shared memory.
void GemmProgram::split() {
  // What a thread loads at a time is 16 bytes, if the stage is that deep.
  const int64_t rows = c.bn % 16 == 0 ? 16 : 8;
  forAllWork([&](const Work &work) {
    for ([[maybe_unused]] Index k : work.steps) {
      Stage from = ring->wait(), to = made->acquire();
      for (int64_t first = 0; first < c.bk; first += depth)
        for (int64_t row = 0; row < c.bn; row += rows) {
          const Shape part{rows, depth};
          Fragment x = ashlar::load(slice(from[1], {row, first}, part));
          store(slice(to[0], {row, first}, part), rounded(x - cutOff(x)));
        }
      made->commit(to);
      ring->release(from);
    }
  });
}

Fragment GemmProgram::productOfParts(const Stage &stage,
                                     std::optional<Stage> &smalls,
                                     int64_t first, const Fragment &sum) const {
  const Fragment a = loadRows(above->part(stage[0], first, depth)),
                 big = rounded(a), small = a - big;
  const SharedTile b =
      beside->part(stage[1].as(tf32, beside->stage(c.bk)), first, depth);
  if (first == 0)
    smalls.emplace(made->wait());
  const SharedTile smallB = beside->part((*smalls)[0], first, depth);
  Fragment result = mma(big, smallB.T(), mma(small, b.T(), sum));
  if (first + depth == c.bk)
    made->release(*smalls);
  return mma(big, b.T(), result);
}

} // namespace ashlar
