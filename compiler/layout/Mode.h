// A layout without its tree: the list of its leaves.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// One leaf of a layout.
struct Mode {
  int64_t extent, stride;
  bool operator==(const Mode &other) const = default;
};

/// The leaves of a layout from left to right.
std::vector<Mode> leafModes(const Layout &layout);

/// The flat layout of these modes: a leaf if there is one, 1:0 if there is
/// none.
Layout flatLayout(const std::vector<Mode> &modes);

} // namespace ashlar::layout
