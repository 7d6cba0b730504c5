#pragma once

#include "ashlar/scope.h"
#include "ashlar/tensor.h"

namespace ashlar {

/// The kernel may start when the CTAs of the launch before it on its stream are
/// done, or when that launch allows it (programmatic dependent launch): it sets
/// itself up, and waits before it touches memory until all is done that was
/// launched before.
void programmatic_launch(SourceLocation where = SourceLocation::current());

/// Where a role of a kernel with `programmatic_launch` waits for the launches
/// before this one; without it, at its start. Before it a role may only
/// prefetch what no such launch writes.
void wait_for_previous_launch(SourceLocation where = SourceLocation::current());

/// Lets the next launch start, if that has `programmatic_launch`, when every
/// CTA has come here or is done. Its CTAs go to SMs that have room, and so from
/// launch to launch to other ones: what these shared with a neighbour, or found
/// in their part of L2, may then be elsewhere. It pays for short kernels.
void allow_next_launch(SourceLocation where = SourceLocation::current());

/// Adds to a counter that CTAs share, an element of an s32 tensor, after all
/// that the role has stored by then.
void signal(const TileRef &counter, const Index &amount = 1,
            Scope scope = Scope::gpu,
            SourceLocation where = SourceLocation::current());
/// Waits until a counter is at least a value. What was stored before the
/// signals that brought it there can then be loaded, and copied by this role.
/// The CTA that signals must run at the same time or before. All those of a
/// persistent kernel do; one that has several tiles may wait only for what is
/// signalled for tiles before its own in the order of the tile loop.
void await(const TileRef &counter, const Index &value, Scope scope = Scope::gpu,
           SourceLocation where = SourceLocation::current());

} // namespace ashlar
