// Which argument is meant for which tensor, scalar and size: by name, each
// once, none left over, and of the right kind.
#pragma once

#include "ashlar/module.h"

#include <span>
#include <vector>

namespace ashlar {

/// One entry per tensor, scalar and size of the artifact, in its order. A size
/// that was not passed by name is null. Points into the caller's arguments.
struct MatchedArguments {
  std::vector<const TensorArgument *> tensors;
  std::vector<const Argument *> scalars;
  std::vector<const Argument *> sizes;
};

/// Fills `matched`; throws `Error` at the first mistake. Allocates only when
/// `matched` is used for the first time.
void matchArguments(const Artifact &artifact,
                    std::span<const NamedArgument> arguments,
                    MatchedArguments &matched);

} // namespace ashlar
