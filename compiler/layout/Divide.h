// A layout cut into tiles.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// The layout (tile, rest): mode 0 walks the elements that `tiler` selects,
/// mode 1 walks the tiles. It is composition(layout, (tiler, complement)).
Result<Layout> logicalDivide(const Layout &layout, const Layout &tiler);

/// Divides mode i by the i-th tiler: ((tile0,rest0),(tile1,rest1),...). Modes
/// beyond the tilers stay.
Result<Layout> logicalDivide(const Layout &layout,
                             const std::vector<Layout> &tilers);

/// The division with all tiles in mode 0 and all rests in mode 1:
/// ((tile0,tile1),(rest0,rest1,...)).
Result<Layout> zippedDivide(const Layout &layout, const Layout &tiler);
Result<Layout> zippedDivide(const Layout &layout,
                            const std::vector<Layout> &tilers);

/// The division with all tiles in mode 0 and each rest a mode of its own:
/// ((tile0,tile1),rest0,rest1,...).
Result<Layout> tiledDivide(const Layout &layout, const Layout &tiler);
Result<Layout> tiledDivide(const Layout &layout,
                           const std::vector<Layout> &tilers);

} // namespace ashlar::layout
