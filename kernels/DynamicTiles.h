// Tiles that CTAs take as they get free, for programs whose tiles are not as
// much work as one another.
#pragma once

#include "ashlar/ashlar.h"

#include <cstdint>
#include <functional>
#include <initializer_list>

namespace ashlar {

/// Turns of a loop that `last_if` ends.
inline constexpr int64_t endless = int64_t(1) << 30;

/// As many s32 in a vector, for a role to hand to others.
Fragment listOf(std::initializer_list<Index> numbers);

/// What the body of `DynamicTiles::handOut` calls.
using TakeNext = std::function<void()>;

/// The tiles of the heads of a batch. Declared beside the roles, behind a tile
/// loop over the same ones; one role hands tiles to all others.
class DynamicTiles {
public:
  DynamicTiles(const TileLoop<3> &loop, SourceLocation where)
      : loop(loop), next(inout("Next", s32, {1}, align(4), where)),
        handed(pipeline(stages, smem(s32, {entries}))) {}

  struct Space {
    Index batch, heads, tilesOfHead;
    /// What tiles of one head read in common: so many heads at a time that it
    /// stays in L2.
    Index bytesOfHead;
    bool isBackwards = false; ///< the last tile of a head comes first
    /// Where some batches have fewer tiles: whether there is this one.
    std::function<Condition(const Index &b, const Index &i)> isThere = {};
  };
  using Body =
      std::function<void(const Index &b, const Index &h, const Index &i)>;

  /// Of the one role. Its body calls `takeNext` once, when it has little left
  /// to do for its tile, so that nobody waits long for the next one.
  void handOut(
      const Space &space,
      const std::function<void(const Index &b, const Index &h, const Index &i,
                               const TakeNext &takeNext)> &body) const;
  /// Of each other role.
  void forEach(const Body &body) const;

  static constexpr int64_t stages = 2, entries = 4;

private:
  TileLoop<3> loop;
  Tensor next;     ///< tiles that were taken beyond the first of each CTA
  Pipeline handed; ///< b, h and i of a tile; -1 behind the last
};

} // namespace ashlar
