// A GEMM of f32 on tensor cores that multiply tf32. Each number is big + small,
// both of tf32, and of the four products that of two small ones is less than
// f32 tells. The tensor cores cut off what tf32 has not, so a tile in shared
// memory is its own big part; rounded, as in registers, big and small parts
// have errors to either side, and small parts are half as large. Of bf16, which
// the tensor cores multiply twice as fast, a factor of a small part has 8 bits:
// then the tile is rounded as well. So it is of tf32 where it has so few
// columns that this is cheap.

#include "GemmProgram.h"

#include <numeric>

namespace ashlar {

namespace {

Fragment cutOff(const Fragment &x) {
  constexpr int32_t others = 0x1fff; ///< the bits that tf32 has not
  return bitcast(bitcast(x, s32) & ~others, f32);
}
Fragment rounded(const Fragment &x) {
  return ptx("cvt.rn.tf32.f32 $0, $1;", f32, {x});
}

} // namespace

/// The parts of the operand that the products read from shared memory.
void GemmProgram::split() {
  forAllWork([&](const Work &work) {
    for ([[maybe_unused]] Index k : work.steps) {
      Stage from = ring->wait(), to = made->acquire();
      for (int64_t first = 0; first < c.bk; first += depth)
        splitRows(from[1], to, first);
      made->commit(to);
      ring->release(from);
    }
  });
}

/// Of all rows, `depth` columns from one on; as many parts are on their way to
/// registers at a time as there is room for.
void GemmProgram::splitRows(const SharedTile &stage, const Stage &to,
                            int64_t first) const {
  // What a thread loads at a time is 16 bytes, or what becomes 16 of bf16.
  const int64_t rows =
      c.bf16_parts ? columnsOfBf16Parts : std::gcd<int64_t>(c.bn, 16);
  const int64_t together = rows * partsTogether(types, c);
  auto cut = [&](const SharedTile &tile, int64_t row) {
    return slice(tile, {row, first}, {rows, depth});
  };
  for (int64_t begin = 0; begin < c.bn; begin += together) {
    const int64_t end = std::min(begin + together, c.bn);
    std::vector<Fragment> loaded;
    for (int64_t row = begin; row < end; row += rows)
      loaded.push_back(ashlar::load(cut(stage, row)));
    for (int64_t row = begin; row < end; row += rows) {
      const Fragment &x = loaded[(row - begin) / rows];
      if (c.bf16_parts)
        store(cut(wholePart(to), row), convert(x, bf16));
      const Fragment big = isStageRounded(types, c) ? rounded(x) : cutOff(x);
      store(cut(smallPart(to), row),
            c.bf16_parts ? convert(x - big, bf16) : rounded(x - big));
      if (isStageRounded(types, c))
        store(cut(stage, row), big);
    }
  }
}

SharedTile GemmProgram::smallPart(const Stage &made) const {
  return c.bf16_parts ? made[0].interleaved_columns() : made[0];
}
SharedTile GemmProgram::wholePart(const Stage &made) const {
  return made[1].interleaved_columns();
}

Fragment GemmProgram::productOfParts(const Stage &stage,
                                     std::optional<Stage> &parts, int64_t first,
                                     const Fragment &sum) const {
  const Fragment a = loadRows(above->part(stage[0], first, depth)),
                 big = rounded(a), small = a - big;
  const SharedTile b =
      beside->part(stage[1].as(tf32, beside->stage(c.bk)), first, depth);
  if (first == 0)
    parts.emplace(made->wait());
  const SharedTile smallB = beside->part(smallPart(*parts), first, depth);
  Fragment result =
      c.bf16_parts ? mma(convert(a, bf16), smallB.T(),
                         mma(convert(small, bf16), wholePart(*parts).T(), sum))
                   : mma(big, smallB.T(), mma(small, b.T(), sum));
  if (first + depth == c.bk)
    made->release(*parts);
  return mma(big, b.T(), result);
}

} // namespace ashlar
