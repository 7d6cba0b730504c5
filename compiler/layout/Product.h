// A layout repeated.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// The layout (block, repeat): mode 0 is `block`, mode 1 places copies of it,
/// disjoint from each other, in the order of `tiler`.
Result<Layout> logicalProduct(const Layout &block, const Layout &tiler);

/// Repeats mode i as the i-th tiler says: ((block0,repeat0),...). Modes beyond
/// the tilers stay.
Result<Layout> logicalProduct(const Layout &block,
                              const std::vector<Layout> &tilers);

/// The product with all blocks in mode 0 and all repeats in mode 1.
Result<Layout> zippedProduct(const Layout &block, const Layout &tiler);
Result<Layout> zippedProduct(const Layout &block,
                             const std::vector<Layout> &tilers);

/// The product of matrices, mode by mode, each block contiguous:
/// ((block0,repeat0),(block1,repeat1),...).
Result<Layout> blockedProduct(const Layout &block, const Layout &tiler);

/// The product of matrices, mode by mode, with the blocks interleaved:
/// ((repeat0,block0),(repeat1,block1),...).
Result<Layout> rakedProduct(const Layout &block, const Layout &tiler);

} // namespace ashlar::layout
