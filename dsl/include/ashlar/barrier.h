#pragma once

#include "ashlar/body.h"
#include "ashlar/index.h"

#include <string_view>

namespace ashlar {

/// A named barrier between roles: every warp of each role that uses it takes
/// part.
class Barrier : public detail::Handle {
public:
  explicit Barrier(const Handle &handle) : Handle(handle) {}
  Barrier(const Barrier &) = default;
  Barrier &operator=(const Barrier &) = delete;

  /// Arrives, and waits until every role has arrived.
  void sync(SourceLocation where = SourceLocation::current()) const;
  /// Arrives without waiting.
  void arrive(SourceLocation where = SourceLocation::current()) const;
};

/// Declares a named barrier. Throws when the name is taken.
Barrier barrier(std::string_view name,
                SourceLocation where = SourceLocation::current());

/// The warpgroups of the role run `body` one after another: each when the one
/// before it is through, and the first one again when the last is. Products
/// that begin in it go to the tensor cores in this order, and the wait for them
/// may stand behind it: so that one warpgroup's softmax runs under the other's
/// product. What the role's warps meet for, such as a load of a shared tile
/// that they have stored to, is refused in it.
void in_order(const detail::Body<> &body,
              SourceLocation where = SourceLocation::current());

/// This CTA's number in its cluster, from 0 on, which counts the first
/// dimension of the cluster fastest. Throws where the kernel has no cluster.
Index cluster_rank(SourceLocation where = SourceLocation::current());

/// Waits until the role has come here in every CTA of the cluster, as often in
/// each. What it has stored before in shared tiles, its own and its peers', or
/// copied to them is there for all of them behind it; what it has loaded or
/// copied may be stored anew. It costs a fence of the whole GPU, but not in a
/// kernel in which copies to peers alone reach what peers reach, and `mma` of
/// roles that do not call this. Throws where the kernel has no cluster.
void cluster_sync(SourceLocation where = SourceLocation::current());

} // namespace ashlar
