// Where the sequences of a batch begin, and what a role tells others of tiles.
#pragma once

#include "ashlar/ashlar.h"

#include <initializer_list>
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

/// As many s32 in a vector.
inline Fragment listOf(std::initializer_list<Index> numbers) {
  const Shape shape{int64_t(numbers.size())};
  Fragment list = zeros(s32, shape);
  int64_t column = 0;
  for (const Index &number : numbers)
    list = select(columns(shape) == column++, number, list);
  return list;
}

/// Turns of a loop that `last_if` ends.
inline constexpr int64_t endless = int64_t(1) << 30;

} // namespace ashlar
