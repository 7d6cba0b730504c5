// Single elements of memory as values of the program: coordinates, trip counts,
// conditions, factors. A role reads one as a whole: each of its threads gets
// the same value.
#pragma once

#include "ashlar/scalar.h"
#include "ashlar/scope.h"
#include "ashlar/shared.h"
#include "ashlar/tensor.h"

#include <initializer_list>

namespace ashlar {

/// One element of a tensor of s32, s16, s8 or u8; outside of the tensor, which
/// the simulator reports and a GPU with `--check`, 0. An index goes from
/// -2,146,959,360 to 2,146,959,360: what lies beyond is taken for the bound.
/// `load_scalar` has the number as it is.
///
/// Of an input every thread reads it. Others may write to an inout tensor
/// meanwhile: the role's first thread reads, and tells the others, in another
/// warp through shared memory and a barrier of the role.
Index load_index(const TileRef &element,
                 SourceLocation where = SourceLocation::current());
/// The same of a tensor of f32, bf16, f16 or s32.
Scalar load_scalar(const TileRef &element,
                   SourceLocation where = SourceLocation::current());

/// One element of a shared tile: of a stage, say, by which another role tells
/// this one what to do. The coordinate lies in the tile, which is checked as
/// that of a tensor is.
Index load_index(const SharedTile &tile,
                 std::initializer_list<Index> coordinate,
                 SourceLocation where = SourceLocation::current());
Scalar load_scalar(const SharedTile &tile,
                   std::initializer_list<Index> coordinate,
                   SourceLocation where = SourceLocation::current());

// Atomic operations on an element of an inout tensor or of an output, done once
// by the role; each gives what was there before. Relaxed: they order nothing
// else, as `signal` and `await` do. Outside of the tensor nothing happens, and
// the value is 0. `scope`: among whom they are atomic.

/// Of an s32 tensor.
Index atomic_add(const TileRef &element, const Index &amount,
                 Scope scope = Scope::gpu,
                 SourceLocation where = SourceLocation::current());
/// An integer of C++ is an index.
template <detail::Integer T>
Index atomic_add(const TileRef &element, T amount, Scope scope = Scope::gpu,
                 SourceLocation where = SourceLocation::current()) {
  return atomic_add(element, Index(amount, where), scope, where);
}
Index atomic_max(const TileRef &element, const Index &value,
                 Scope scope = Scope::gpu,
                 SourceLocation where = SourceLocation::current());
Index atomic_min(const TileRef &element, const Index &value,
                 Scope scope = Scope::gpu,
                 SourceLocation where = SourceLocation::current());
Index atomic_exchange(const TileRef &element, const Index &value,
                      Scope scope = Scope::gpu,
                      SourceLocation where = SourceLocation::current());
/// Memory changes to `value` if it is `compared`; it did where the result is.
Index atomic_compare_swap(const TileRef &element, const Index &compared,
                          const Index &value, Scope scope = Scope::gpu,
                          SourceLocation where = SourceLocation::current());
/// Of an f32 tensor.
Scalar atomic_add(const TileRef &element, const Scalar &amount,
                  Scope scope = Scope::gpu,
                  SourceLocation where = SourceLocation::current());

} // namespace ashlar
