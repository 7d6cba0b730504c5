// Layouts applied to layouts, and the layout of what a layout leaves out.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// The layout R with R(c) = outer(inner(c)) for every coordinate c of `inner`,
/// whose shape refines that of `inner`.
///
/// Offsets of `inner` beyond the size of `outer` continue along the last mode
/// of the coalesced `outer`. Refuses where a stride or extent of `inner`
/// neither divides nor is divided by the extents of `outer` that it meets, and
/// where modes of `inner` together exceed such an extent.
Result<Layout> composition(const Layout &outer, const Layout &inner);

/// Composes mode i of `outer` with the i-th tiler; modes beyond the tilers
/// stay.
Result<Layout> composition(const Layout &outer,
                           const std::vector<Layout> &inner);

/// The ordered layout C, disjoint from `layout` but for 0, such that the
/// offsets of the two add up to each of 0..cotarget-1 at least once.
///
/// Modes of stride 0 are disregarded. Refuses where modes of `layout` overlap,
/// or interleave such that no layout fills the gaps.
Result<Layout> complement(const Layout &layout, int64_t cotarget);

} // namespace ashlar::layout
