#pragma once

#include "ashlar/element_type.h"
#include "ashlar/index.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace ashlar {

struct TileRef;

/// A tensor in global memory, a parameter of the kernel. Dimensions are
/// outermost first; the last one is contiguous.
class Tensor : public detail::Handle {
public:
  explicit Tensor(const Handle &handle) : Handle(handle) {}
  Tensor(const Tensor &) = default;
  Tensor &operator=(const Tensor &) = delete;

  template <class T> auto operator[](const T &) const {
    detail::refuseSubscript<detail::Later<Tensor, T>>();
    return detail::refused<detail::Later<TileRef, T>>();
  }
  template <class T = Tensor>
  auto operator[](std::initializer_list<Index>) const {
    detail::refuseSubscript<T>();
    return detail::refused<detail::Later<TileRef, T>>();
  }

  /// The tile at these coordinates, in units of tiles, one for each dimension.
  /// The tile has the shape of the shared tile or fragment that it is copied
  /// to or from, along the trailing dimensions of the tensor; coordinates
  /// before them are plain indices.
  TileRef tile(std::initializer_list<Index> coordinates,
               SourceLocation where = SourceLocation::current()) const;
  /// The tile whose first element is at these coordinates, in elements.
  TileRef at(std::initializer_list<Index> coordinates,
             SourceLocation where = SourceLocation::current()) const;

  template <class... T> auto tile(const T &...) const {
    detail::refuseCoordinates<T...>();
    return detail::refused<detail::Later<TileRef, T...>>();
  }
  template <class... T> auto at(const T &...) const {
    detail::refuseCoordinates<T...>();
    return detail::refused<detail::Later<TileRef, T...>>();
  }
};

/// A place in a tensor, for `copy`, `load` and `store`.
struct TileRef {
  enum class Unit : uint8_t { tiles, elements };

  TileRef(const Tensor &tensor, Unit unit, std::vector<Index> coordinates,
          SourceLocation where)
      : tensor(tensor), unit(unit), coordinates(std::move(coordinates)),
        where(where) {}
  template <detail::OneOf<Tensor, Fragment> T>
  TileRef(const T &given) : tensor(static_cast<const detail::Handle &>(given)) {
    detail::refuseAsPlace<T>();
  }
  template <detail::TakenFor<TileRef> T> TileRef &operator=(const T &) {
    detail::refuseAssignment<T>();
    return *this;
  }

  /// The same place, its rows taken as columns: for `load`, `store` and
  /// `inside` of fragments of two dimensions. Elements that lie next to each
  /// other in memory are then in different threads, and are moved one by one.
  TileRef T() const;

  /// The same place, but that the tile's row i, along its last dimension but
  /// one, is as many rows further as the element i from `indices` on says,
  /// which lies in a tensor of s32. Where that is no row of the tensor, or
  /// there is no such element, zeros are read and nothing is written. For
  /// `load` and `store` of fragments, transposed or not, and for `copy` into a
  /// stage, which then goes by cp.async.
  TileRef rows(const TileRef &indices) const;

  Tensor tensor;
  Unit unit;
  std::vector<Index> coordinates;
  SourceLocation where;
  bool is_transposed = false;
  std::vector<TileRef> row_indices = {}; ///< none, or where they begin
};

/// What the base address and every stride but the last are multiples of.
struct Alignment {
  int64_t bytes;
};

/// 16 bytes let TMA move tiles whose last coordinate is known to be a multiple
/// of them; below, cp.async (4 and 8) or ordinary loads do.
constexpr Alignment align(int64_t bytes) { return {bytes}; }

/// Declares a tensor that the kernel reads. Throws when the name is taken or
/// the tensor has not 1 to 5 dimensions.
Tensor input(std::string_view name, ElementType type,
             std::initializer_list<Index> extents,
             Alignment alignment = align(16),
             SourceLocation where = SourceLocation::current());
/// Declares a tensor that the kernel writes.
Tensor output(std::string_view name, ElementType type,
              std::initializer_list<Index> extents,
              Alignment alignment = align(16),
              SourceLocation where = SourceLocation::current());
/// Declares a tensor that the kernel reads and writes.
Tensor inout(std::string_view name, ElementType type,
             std::initializer_list<Index> extents,
             Alignment alignment = align(16),
             SourceLocation where = SourceLocation::current());

} // namespace ashlar
