// Fragments that CTAs of a launch hand to each other, each element telling by
// itself that it is there.
#pragma once

#include "ashlar/shape.h"
#include "ashlar/tensor.h"

#include <vector>

namespace ashlar {

/// Stores a fragment of f32 for the role that takes it, of any CTA of this
/// launch. Where it goes there are zeros before; a zero arrives as -0. No
/// other access is ordered by that. Nothing is stored outside the tensor.
void post(const TileRef &target, const Fragment &fragment,
          SourceLocation where = SourceLocation::current());

/// Where a tile of this shape, in a tensor of f32, is posted.
struct Posted {
  TileRef at;
  Shape shape;
};

/// Waits until all elements of these tiles are posted, gives them, and leaves
/// zeros in their place; of an element outside the tensor -0. Who posts them
/// must run at the same time or before, as with `await`. Tiles that are taken
/// together are on their way together.
std::vector<Fragment> take(const std::vector<Posted> &tiles,
                           SourceLocation where = SourceLocation::current());
Fragment take(const TileRef &source, const Shape &shape,
              SourceLocation where = SourceLocation::current());

} // namespace ashlar
