// The simplest layout that is the same function.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// The flat layout with the fewest modes that is the same function of the
/// linear coordinate: neighbours that continue each other are merged, modes of
/// extent 1 vanish. A single mode is a leaf, as in 8:1.
Layout coalesce(const Layout &layout);

/// Coalesces every top-level mode by itself, so that the rank and the meaning
/// of each mode stay.
Layout coalesceByMode(const Layout &layout);

/// The layout in which every mode of stride 0 has extent 1: the same offsets,
/// each broadcast once.
Layout filterZeros(const Layout &layout);

} // namespace ashlar::layout
