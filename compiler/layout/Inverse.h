// From offsets back to coordinates, and what two layouts have in common.

#pragma once

#include "compiler/layout/Layout.h"

namespace ashlar::layout {

/// The layout R with layout(R(i)) = i, for as many i from 0 on as the strides
/// of `layout` continue each other. For a compact layout it is the inverse.
Layout rightInverse(const Layout &layout);

/// The layout L with L(layout(c)) = c for every linear coordinate c. Refuses
/// where `layout` is not injective, and where its strides do not divide each
/// other in ascending order, for then the inverse is not a layout.
Result<Layout> leftInverse(const Layout &layout);

/// The longest layout R that begins the right inverses of both: a(R(i)) =
/// b(R(i)) = i. A copy from `a` to `b` can move R.size() elements as one
/// vector, and R says which.
Layout maxCommonLayout(const Layout &a, const Layout &b);

/// The size of maxCommonLayout.
int64_t maxCommonVector(const Layout &a, const Layout &b);

} // namespace ashlar::layout
