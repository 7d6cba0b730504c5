#pragma once

#include "ashlar/fragment.h"
#include "ashlar/tensor.h"

namespace ashlar {

/// Each CTA of the cluster that wants the same tile fetches a part of it and
/// sends it to all of them.
struct Multicast {};
inline constexpr Multicast multicast{};

/// How a copy to global memory combines with what is there.
enum class Reduction : uint8_t { add, min, max };
inline constexpr Reduction reduce_add = Reduction::add;
inline constexpr Reduction reduce_min = Reduction::min;
inline constexpr Reduction reduce_max = Reduction::max;

/// What a copy asks of L2; only TMA's copies ask. Of what they bring, L2 keeps
/// this part of the cache lines as usual and evicts the others first: they are
/// not wanted again soon, and spare what is.
struct CacheHint {
  double kept = 0;
};
inline constexpr CacheHint evict_first{};
/// From 0 to 1; which lines are kept depends on their addresses alone.
constexpr CacheHint keep(double part) { return {part}; }

// A tile may begin before a tensor and end behind it, along every dimension:
// what lies outside reads as zero and is never written, whoever moves it.

/// Copies a tile of a tensor to a tile of a stage, asynchronously; complete
/// when the stage is full. Elements outside the tensor arrive as zeros. TMA
/// does it where every row of the tile is known to begin on 16 bytes: see
/// `align` and `multiple_of`. cp.async does from 4 bytes on; below, the role's
/// threads load 16 bytes at a time and shift them. `--resources` says why.
void copy(const TileRef &source, const SharedTile &target,
          SourceLocation where = SourceLocation::current());
/// The same, fetched once for the CTAs of the cluster that want it.
void copy(const TileRef &source, const SharedTile &target, Multicast,
          SourceLocation where = SourceLocation::current());
void copy(const TileRef &source, const SharedTile &target, CacheHint hint,
          SourceLocation where = SourceLocation::current());
void copy(const TileRef &source, const SharedTile &target, Multicast,
          CacheHint hint, SourceLocation where = SourceLocation::current());
/// Copies a tile in shared memory to a tensor, asynchronously. Nothing outside
/// the tensor is written. The kernel tests what TMA needs where it is not
/// known; the role's threads store what TMA can't, and all where the tensor is
/// not aligned to 16 bytes.
void copy(const SharedTile &source, const TileRef &target,
          SourceLocation where = SourceLocation::current());
/// The same, combined with what is in memory.
void copy(const SharedTile &source, const TileRef &target, Reduction reduction,
          SourceLocation where = SourceLocation::current());

/// Copies a shared tile of this CTA to one of a peer, asynchronously; they have
/// one type and shape, and rows of whole multiples of 16 bytes. Behind the
/// role's next `cluster_sync` the peer has it, and the source may be written
/// again, a stage it is part of released. Refused by the compiler where the
/// role may end, or write or release the source, before that.
void copy(const SharedTile &source, const SharedTile &target,
          SourceLocation where = SourceLocation::current());

/// Brings a tile of a tensor to L2, for a copy to come; the tensor is one that
/// TMA moves, aligned to 16 bytes.
void prefetch(const TileRef &source, const Shape &shape,
              SourceLocation where = SourceLocation::current());

/// Combines all elements of a fragment of f32 or s32 with one element of a
/// tensor, atomically; the order of additions is not fixed. An element outside
/// the tensor is left alone.
void reduce(const TileRef &element, const Fragment &fragment,
            Reduction reduction,
            SourceLocation where = SourceLocation::current());

/// Which elements of a tile of this shape lie inside the tensor.
Mask inside(const TileRef &tile, const Shape &shape,
            SourceLocation where = SourceLocation::current());

/// Global memory to a fragment by ordinary loads; zeros outside the tensor.
/// tf32 arrives as f32, u8 as s32.
Fragment load(const TileRef &source, const Shape &shape,
              SourceLocation where = SourceLocation::current());
/// Shared memory to a fragment. tf32 arrives as f32, u8 as s32.
Fragment load(const SharedTile &source,
              SourceLocation where = SourceLocation::current());

/// A fragment to global memory by ordinary stores. Nothing outside the tensor
/// is written. The element types agree.
void store(const TileRef &target, const Fragment &fragment,
           SourceLocation where = SourceLocation::current());
/// A fragment to shared memory.
void store(const SharedTile &target, const Fragment &fragment,
           SourceLocation where = SourceLocation::current());

} // namespace ashlar
