// Fragments made of equal parts.

#pragma once

#include "compiler/layout/Fragment.h"

namespace ashlar::layout {

/// The fragment of a shape of multiples of a part's extents, in which each part
/// that begins at multiples of them lies as that one does.
FragmentLayout repeatedLayout(const FragmentLayout &part,
                              const std::vector<int64_t> &shape);

} // namespace ashlar::layout
