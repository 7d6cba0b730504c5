// Where the sequences of a batch begin and end.
#pragma once

#include "ashlar/ashlar.h"
#include "compiler/target/Target.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ashlar {

/// The first row of sequence b, and how many it has: by its start and that of
/// the next one, or all where sequences are not packed.
inline std::pair<Index, Index> sequenceOf(const std::optional<Tensor> &starts,
                                          const Index &b, const Index &all) {
  if (!starts)
    return {0, all};
  Index first = load_index(starts->at({b}));
  return {first, load_index(starts->at({b + 1})) - first};
}

/// Zeros in the rows of a tile from `left` on, or in its columns, so that what
/// is not the sequence's counts for nothing: as few rows at a time as divide
/// among the role's threads, which takes few registers.
inline void clearBehind(const SharedTile &tile, const Index &left,
                        int64_t threads, bool areColumns = false) {
  const int64_t height = tile.shape()[0], width = tile.shape()[1];
  int64_t atOnce = std::min<int64_t>(height, 2 * target::swizzleRows);
  while (atOnce < height && (height % atOnce || atOnce * width % threads))
    atOnce += target::swizzleRows;
  const Shape shape{atOnce, width};
  const Index first = areColumns ? Index(0) : max(left, 0) / atOnce;
  for (Index i : range(first, height / atOnce)) {
    SharedTile part = slice(tile, {i * atOnce, 0}, shape);
    const Mask isLeft =
        areColumns ? columns(shape) < left : rows(shape) < left - i * atOnce;
    store(part, select(isLeft, load(part), 0));
  }
}

} // namespace ashlar
