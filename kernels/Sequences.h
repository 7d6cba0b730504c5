// Where the sequences of a batch begin.
#pragma once

#include "ashlar/ashlar.h"

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

} // namespace ashlar
