#pragma once

#include "ashlar/control.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar {

/// The last but one dimension of a tile loop, and the last.
enum class Along : uint8_t { m, n };

/// The order in which the tiles of a kernel are taken: a layout of the plane of
/// the last two dimensions by its modes, the fastest first. In
/// `{{Along::m, 8}, {Along::n}, {Along::m}}` eight tiles along m come for each
/// step along n, and the next eight along m after all of n. Extents need not
/// divide: what is left at an edge is taken in the same order.
class Raster {
public:
  struct Mode {
    Along along;
    /// How many steps; nothing for the last along m and the last along n, which
    /// walk to the end.
    std::optional<int64_t> extent = {};
    /// Backwards in every other step of the next slower mode, so that it begins
    /// with what the step before has left in L2. Of the modes along m, and of
    /// those along n, only the fastest may.
    bool alternating = false;

    bool operator==(const Mode &) const = default;
  };

  Raster(std::initializer_list<Mode> modes) : modes(modes) {}
  template <detail::Integer T> Raster(const T &) {
    static_assert(!detail::Integer<T>,
                  "the order of tiles is a Raster: Raster::grouped(8)");
  }

  /// The last coordinate changes fastest.
  static Raster along_n() { return {{Along::n}, {Along::m}}; }
  /// The last but one coordinate changes fastest.
  static Raster along_m() { return {{Along::m}, {Along::n}}; }
  /// `group` tiles along the last but one dimension for each step along the
  /// last: neighbours in time share tiles of both inputs in L2.
  static Raster grouped(int64_t group) {
    return {{Along::m, group}, {Along::n}, {Along::m}};
  }
  /// As `grouped`, with every other group walked backwards: it begins with the
  /// columns that the one before has left in L2.
  static Raster swizzled(int64_t group) {
    return {{Along::m, group}, {Along::n, {}, true}, {Along::m}};
  }

  bool operator==(const Raster &) const = default;

  std::vector<Mode> modes;
};

namespace detail {
Handle makeSchedule(const Index *extents, const int64_t *tile, size_t rank,
                    bool persistent, const Raster &raster,
                    SourceLocation where);
Index turnsOf(const Handle &loop, SourceLocation where);
Index ctaOf(const Handle &loop, SourceLocation where);
Index ctasOf(const Handle &loop, SourceLocation where);
void checkAfter(const Handle &loop, SourceLocation where);
} // namespace detail

/// The tiles a CTA works on. `for (auto [m, n] : tiles)` in a role traces its
/// body once; the coordinates are in tiles.
template <size_t N> class TileLoop : public detail::Handle {
public:
  explicit TileLoop(const Handle &handle) : Handle(handle) {}

  class Iterator {
  public:
    Iterator(const TileLoop &tiles, SourceLocation where)
        : loop(tiles, tiles.others ? &*tiles.others : nullptr, where) {}
    std::array<Index, N> operator*() const {
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return std::array<Index, N>{loop.coordinate(I)...};
      }(std::make_index_sequence<N>());
    }
    Iterator &operator++() {
      loop.close();
      return *this;
    }
    bool operator!=(detail::LoopEnd) const { return !loop.traced(); }

  private:
    detail::OpenLoop loop;
  };

  /// Begins to trace the body. `where`, in messages, is the `for` statement, or
  /// who calls it.
  Iterator begin(SourceLocation where = SourceLocation::current()) const {
    return Iterator(*this, where);
  }
  detail::LoopEnd end() const { return {}; }

  /// How many tiles there are, or, in clusters, how often a cluster takes one
  /// for each of its CTAs. In a role.
  Index turns(SourceLocation where = SourceLocation::current()) const {
    return detail::turnsOf(*this, where);
  }
  /// Of `ctas()` CTAs, or clusters, this one takes turns `cta()`, `cta()` +
  /// `ctas()` and so on, counted in the order of the loop: all take one, then
  /// all take the next. Of a persistent loop, in a role.
  Index cta(SourceLocation where = SourceLocation::current()) const {
    return detail::ctaOf(*this, where);
  }
  Index ctas(SourceLocation where = SourceLocation::current()) const {
    return detail::ctasOf(*this, where);
  }
  /// The same tiles, for CTAs that have `others` turns of other loops before
  /// them: whoever would be next begins. Of a persistent loop, in a role.
  ///
  ///   Index before = 0;
  ///   for (Index e : range(E)) {
  ///     Index M = load_index(rows.at({e}));
  ///     TileLoop tiles = persistent({M, N}, {128, 128});
  ///     for (auto [m, n] : tiles.after(before)) { ... }
  ///     before += tiles.turns();
  ///   }
  TileLoop after(const Index &others,
                 SourceLocation where = SourceLocation::current()) const {
    detail::checkAfter(*this, where);
    TileLoop loop = *this;
    loop.others.emplace(others);
    return loop;
  }

private:
  std::optional<Index> others;
};

/// Declares a space that is cut into tiles of `tile` elements; each cluster
/// walks over many of them. Beside the roles its extents are sizes and numbers,
/// and the launch has as many CTAs as the loop of the kernel that has the most
/// tiles needs, and at most as many as the device holds. In a role the extents
/// are any indices, read from memory for example: roles that share a pipeline
/// declare the same loop, and the launch has as many CTAs as the device holds.
/// Loops come one after another, or one in a range.
template <size_t N>
TileLoop<N> persistent(const Index (&extents)[N], const int64_t (&tile)[N],
                       const Raster &raster = Raster::along_n(),
                       SourceLocation where = SourceLocation::current()) {
  return TileLoop<N>(
      detail::makeSchedule(extents, tile, N, true, raster, where));
}

/// As `persistent`, with one CTA for each tile; beside the roles only.
template <size_t N>
TileLoop<N> grid(const Index (&extents)[N], const int64_t (&tile)[N],
                 const Raster &raster = Raster::along_n(),
                 SourceLocation where = SourceLocation::current()) {
  return TileLoop<N>(
      detail::makeSchedule(extents, tile, N, false, raster, where));
}

/// So many CTAs of the kernel share an SM: each has as small a part of its
/// registers and shared memory, and `persistent` starts as many on each.
/// Without it a kernel may take all that a CTA can have, and `persistent`
/// starts one on each SM. Throws unless there are 1 to 32.
void ctas_per_sm(int64_t count,
                 SourceLocation where = SourceLocation::current());

/// The CTAs of a cluster along each dimension of the tile loop; at most 8.
void cluster(std::initializer_list<int64_t> extents,
             SourceLocation where = SourceLocation::current());

} // namespace ashlar
