#pragma once

#include "ashlar/scalar.h"
#include "ashlar/shape.h"
#include "ashlar/shared.h"

#include <initializer_list>
#include <optional>

namespace ashlar {

/// A tile held in the registers of a role.
class [[nodiscard]] Fragment : public detail::Variable {
public:
  explicit Fragment(const detail::Handle &handle) : Variable(handle) {}
  Fragment(const Fragment &other,
           SourceLocation where = SourceLocation::current())
      : Variable(other, where) {}
  Fragment(Fragment &&) = default;
  Fragment &operator=(const Fragment &other) = default;

  template <detail::TakenFor<Fragment> T>
  Fragment(const T &) : Variable(detail::HandleKind::fragment, {}) {
    detail::refuseAsFragment<T>();
  }
  template <class T = Fragment>
  Fragment() : Variable(detail::HandleKind::fragment, {}) {
    detail::refuseToDeclareUnset<T>();
  }
  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Fragment, T>>();
    return false;
  }
  template <class T> Scalar operator[](const T &) const {
    detail::refuseSubscript<detail::Later<Fragment, T>>();
    return detail::refused<Scalar>();
  }
  template <class T = Fragment>
  Scalar operator[](std::initializer_list<Index>) const {
    detail::refuseSubscript<T>();
    return detail::refused<Scalar>();
  }

  /// Extents in elements.
  Shape shape(SourceLocation where = SourceLocation::current()) const;
};

/// One truth value for each element of a fragment.
class Mask : public detail::Variable {
public:
  explicit Mask(const detail::Handle &handle) : Variable(handle) {}
  Mask(const Mask &other, SourceLocation where = SourceLocation::current())
      : Variable(other, where) {}
  Mask(Mask &&) = default;
  Mask &operator=(const Mask &other) = default;

  template <detail::TakenFor<Mask> T>
    requires(!std::same_as<T, bool>)
  Mask(const T &) : Variable(detail::HandleKind::mask, {}) {
    detail::refuseAsMask<T>();
  }
  template <class T = Mask> Mask() : Variable(detail::HandleKind::mask, {}) {
    detail::refuseToDeclareUnset<T>();
  }
  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Mask, T>>();
    return false;
  }
};

/// A fragment of zeros. Extents are positive; types are bf16, f16, f32, e4m3,
/// e5m2, s8, s16 and s32.
Fragment zeros(ElementType type, const Shape &shape,
               SourceLocation where = SourceLocation::current());
/// A fragment with one value everywhere.
Fragment full(ElementType type, const Shape &shape,
              detail::UniformOperand value,
              SourceLocation where = SourceLocation::current());

/// Of each element of a fragment of this shape, the number of its row: its
/// coordinate along the last but one dimension, counted from 0, as s32. Throws
/// for a vector, which has no rows.
Fragment rows(const Shape &shape,
              SourceLocation where = SourceLocation::current());
/// The number of its column: its coordinate along the last dimension.
Fragment columns(const Shape &shape,
                 SourceLocation where = SourceLocation::current());

/// accumulator + a · b on the tensor cores, asynchronously: the program goes
/// on, and whoever uses the result waits. `a` is M×K and `b` is K×N, as seen
/// after `.T()`. Throws when the extents don't agree.
Fragment mma(const SharedTile &a, const SharedTile &b,
             const Fragment &accumulator,
             SourceLocation where = SourceLocation::current());

/// The same with A in registers. What an mma gave, converted to bf16 or f16, is
/// taken as it lies; to types of 8 bits, or of f32, the lanes of each warp
/// exchange it. A of f32 meets B of tf32, and is rounded to that.
Fragment mma(const Fragment &a, const SharedTile &b,
             const Fragment &accumulator,
             SourceLocation where = SourceLocation::current());

/// The product alone.
Fragment mma(const SharedTile &a, const SharedTile &b,
             SourceLocation where = SourceLocation::current());
Fragment mma(const Fragment &a, const SharedTile &b,
             SourceLocation where = SourceLocation::current());

/// A of a product of which half of the elements are zero, and do not lie in
/// memory or registers.
class Sparse {
public:
  Sparse(const SharedTile &values, const Fragment &metadata,
         SourceLocation where)
      : tile(values), metadata(metadata, where) {}
  Sparse(const Fragment &values, const Fragment &metadata, SourceLocation where)
      : fragment(std::in_place, values, where), metadata(metadata, where) {}

  std::optional<SharedTile> tile; ///< one of these
  std::optional<Fragment> fragment;
  Fragment metadata;
};

/// An M×K matrix of which each row has two of four elements, of tf32 one of
/// two: `values` are these, M×K/2. `metadata` is M×K/16 of s16 (of tf32
/// M×K/8): four bits for each four elements, the first in the lowest, which say
/// where the two lie: bits 0 and 1 the first, 2 and 3 the second, behind it. Of
/// two of tf32 they are 0x4 for the first, 0xE for the second. A whole element
/// of 0, as there is outside of a tensor, stands for 0x4444.
template <class Values>
Sparse sparse(const Values &values, const Fragment &metadata,
              SourceLocation where = SourceLocation::current()) {
  return Sparse(values, metadata, where);
}

/// accumulator + a · b, and the product alone, at twice the rate of a whole A.
Fragment mma(const Sparse &a, const SharedTile &b, const Fragment &accumulator,
             SourceLocation where = SourceLocation::current());
Fragment mma(const Sparse &a, const SharedTile &b,
             SourceLocation where = SourceLocation::current());

/// The fragment in another type, rounded to nearest even; fp8 saturates. Floats
/// become integers towards zero, and the nearest one where they are beyond
/// them; of an integer that is too long the lower bits are left.
Fragment convert(const Fragment &fragment, ElementType type,
                 SourceLocation where = SourceLocation::current());

/// The same bits as elements of another type of as many: of s32 and f32, say.
Fragment bitcast(const Fragment &fragment, ElementType type,
                 SourceLocation where = SourceLocation::current());

/// The part of a fragment of this shape that starts at `offset`, an element
/// coordinate; relayed if the threads do not hold as many elements of it each.
/// Throws where it reaches beyond the fragment.
Fragment slice(const Fragment &fragment, std::initializer_list<int64_t> offset,
               const Shape &shape,
               SourceLocation where = SourceLocation::current());

/// The sum of what the CTAs along a dimension of the cluster hold in
/// `fragment`, of f32 or s32. Each gets its part of the columns (of the last
/// dimension), the one that its coordinate along the dimension says; added in
/// the order of the coordinates, from its own on, cyclically.
Fragment cluster_sum(const Fragment &fragment, int64_t dimension,
                     SourceLocation where = SourceLocation::current());

/// What the CTAs along a dimension of the cluster hold in `fragment`, of f32 or
/// s32, added, or the largest or least of it: the same in each, combined in the
/// order of the coordinates. Of rows that CTAs share, `row_sum` and the like
/// give the parts.
Fragment cluster_all_sum(const Fragment &fragment, int64_t dimension,
                         SourceLocation where = SourceLocation::current());
/// NaN where one of them has one.
Fragment cluster_all_max(const Fragment &fragment, int64_t dimension,
                         SourceLocation where = SourceLocation::current());
Fragment cluster_all_min(const Fragment &fragment, int64_t dimension,
                         SourceLocation where = SourceLocation::current());

/// A vector of length m that stands as an m×1 column: in arithmetic, element i
/// meets row i of the other operand.
class ColumnVector {
public:
  ColumnVector(const Fragment &vector, SourceLocation where)
      : vector(vector, where) {}
  const Fragment &values() const { return vector; }

private:
  Fragment vector;
};
/// `scores - along_rows(row_max)`: one value for each place along the first
/// dimension, which is that of the rows of a matrix, or along the first ones,
/// of as many as `vector` has. A plain vector of length n meets the columns, as
/// in NumPy.
inline ColumnVector
along_rows(const Fragment &vector,
           SourceLocation where = SourceLocation::current()) {
  return ColumnVector(vector, where);
}

/// The fragment repeated along new leading dimensions (the rule of NumPy).
Fragment broadcast(const Fragment &fragment, const Shape &shape,
                   SourceLocation where = SourceLocation::current());
/// The column repeated along the other dimensions.
Fragment broadcast(const ColumnVector &column, const Shape &shape,
                   SourceLocation where = SourceLocation::current());

} // namespace ashlar
