// Fragments whose elements lie in pairs, two that are next to each other along
// the last dimension to a value: of four bits, two to a byte.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// Where the pairs of a fragment's elements lie: value v is the pair of values
/// 2v and 2v + 1. Refuses where those are not next to each other.
Result<FragmentLayout> pairsOf(const FragmentLayout &elements);

/// Where the elements of a fragment of pairs lie: each value is two.
FragmentLayout elementsOf(const FragmentLayout &pairs);

/// Whether both put the same elements into the same values of the same threads,
/// whatever their modes.
bool lieAlike(const FragmentLayout &a, const FragmentLayout &b);

} // namespace ashlar::layout
