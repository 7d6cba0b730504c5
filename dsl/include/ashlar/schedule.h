#pragma once

#include "ashlar/control.h"

#include <array>
#include <initializer_list>
#include <utility>

namespace ashlar {

/// The order in which the tiles of a kernel are taken.
class Raster {
public:
  enum class Order : uint8_t { along_n, along_m, grouped, swizzled };

  /// The last coordinate changes fastest.
  static constexpr Raster along_n() { return {Order::along_n, 1}; }
  /// The last but one coordinate changes fastest.
  static constexpr Raster along_m() { return {Order::along_m, 1}; }
  /// `group` tiles along the last but one dimension for each step along the
  /// last: neighbours in time share tiles of both inputs in L2.
  static constexpr Raster grouped(int64_t group) {
    return {Order::grouped, group};
  }
  /// As `grouped`, with every other group walked backwards: it begins with the
  /// columns that the one before has left in L2.
  static constexpr Raster swizzled(int64_t group) {
    return {Order::swizzled, group};
  }

  Order order;
  int64_t group;

private:
  constexpr Raster(Order order, int64_t group) : order(order), group(group) {}
};

/// The tiles a CTA works on. `for (auto [m, n] : tiles)` in a role traces its
/// body once; the coordinates are in tiles.
template <size_t N> class TileLoop : public detail::Handle {
public:
  explicit TileLoop(const Handle &handle, SourceLocation where)
      : Handle(handle), where(where) {}

  class Iterator {
  public:
    explicit Iterator(const TileLoop &tiles) : loop(tiles, tiles.where) {}
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

  Iterator begin() const { return Iterator(*this); }
  detail::LoopEnd end() const { return {}; }

private:
  SourceLocation where;
};

namespace detail {
Handle makeSchedule(const Index *extents, const int64_t *tile, size_t rank,
                    bool persistent, Raster raster, SourceLocation where);
} // namespace detail

/// Declares the output space of the kernel, cut into tiles of `tile` elements;
/// each cluster walks over many tiles. A kernel has one tile loop.
template <size_t N>
TileLoop<N> persistent(const Index (&extents)[N], const int64_t (&tile)[N],
                       Raster raster = Raster::along_n(),
                       SourceLocation where = SourceLocation::current()) {
  return TileLoop<N>(
      detail::makeSchedule(extents, tile, N, true, raster, where), where);
}

/// As `persistent`, with one CTA for each tile.
template <size_t N>
TileLoop<N> grid(const Index (&extents)[N], const int64_t (&tile)[N],
                 Raster raster = Raster::along_n(),
                 SourceLocation where = SourceLocation::current()) {
  return TileLoop<N>(
      detail::makeSchedule(extents, tile, N, false, raster, where), where);
}

/// The CTAs of a cluster along each dimension of the tile loop; at most 8.
void cluster(std::initializer_list<int64_t> extents,
             SourceLocation where = SourceLocation::current());

} // namespace ashlar
