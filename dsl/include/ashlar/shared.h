#pragma once

#include "ashlar/element_type.h"
#include "ashlar/index.h"
#include "ashlar/shape.h"

#include <initializer_list>

namespace ashlar {

/// A tile in shared memory: one of a stage, or one that `shared` made; or such
/// a tile of another CTA of the cluster.
class SharedTile : public detail::Handle {
public:
  explicit SharedTile(const Handle &handle) : Handle(handle) {}
  SharedTile(const SharedTile &) = default;
  SharedTile &operator=(const SharedTile &) = delete;

  template <
      detail::OneOf<Stage, StageTile, Pipeline, Fragment, Tensor, TileRef> T>
  SharedTile(const T &) : Handle(detail::HandleKind::sharedTile, {}) {
    detail::refuseAsSharedTile<T>();
  }
  template <detail::TakenFor<SharedTile> T> SharedTile &operator=(const T &) {
    detail::refuseAssignment<T>();
    return *this;
  }

  /// The same tile seen with its two dimensions exchanged. Only `load`, `store`
  /// and `mma` accept such a view; no data moves.
  SharedTile T(SourceLocation where = SourceLocation::current()) const;

  /// Another tile in this one's memory, where tiles of its type and shape lie
  /// one after another: the one with this number. Refused by the compiler where
  /// this tile ends before it.
  SharedTile as(ElementType type, const Shape &shape, int64_t number = 0,
                SourceLocation where = SourceLocation::current()) const;

  /// The same memory as a matrix whose rows lie otherwise: 0, 2, 4 and so on
  /// before 1, 3, 5. Rows keep their numbers for what TMA copies to it, for
  /// `load` and `store`, and as the columns of `mma(a, tile.T())`; refused by
  /// the compiler in other products and copies. Where single bytes are made of
  /// such a product, and are A of another one, threads hold them as that reads
  /// them, and have nothing to exchange. Refused too where the tile is read in
  /// an order in which nobody writes it. Throws where rows are no multiple of
  /// 16.
  SharedTile
  even_rows_first(SourceLocation where = SourceLocation::current()) const;

  /// The same memory as a matrix of 16-bit elements whose columns lie
  /// otherwise: of each eight 0, 4, 1, 5, 2, 6, 3, 7. Columns keep their
  /// numbers for `load` and `store`, and as rows of B in `mma(a, tile.T())`,
  /// where a is a fragment: threads hold it as they hold one of f32 that meets
  /// tf32, and what is converted from that has nothing to exchange. Refused by
  /// the compiler in other products and in copies, and where the tile is read
  /// in an order in which nobody writes it. Throws where elements are others,
  /// or columns no multiple of 8.
  SharedTile
  interleaved_columns(SourceLocation where = SourceLocation::current()) const;

  /// The same tile in the shared memory of the CTA of the cluster with this
  /// rank, for `load`, `store`, `slice` and `copy` to it. Between the CTAs
  /// `cluster_sync` orders. Throws where the kernel has no cluster, or the
  /// tile is one of a stage.
  SharedTile peer(detail::IndexOperand rank) const;

  /// Extents as seen, in elements.
  Shape shape(SourceLocation where = SourceLocation::current()) const;

  bool is_transposed() const { return transposed; }

private:
  bool transposed = false;
};

/// A tile in shared memory outside any pipeline.
SharedTile shared(ElementType type, const Shape &shape,
                  SourceLocation where = SourceLocation::current());

/// The part of a shared tile of this shape that starts at `offset`, an element
/// coordinate, in the tile's memory. Throws where it reaches beyond the tile;
/// refused by the compiler unless it starts with a swizzle atom.
SharedTile slice(const SharedTile &tile, std::initializer_list<int64_t> offset,
                 const Shape &shape,
                 SourceLocation where = SourceLocation::current());
/// The same from where indices say, each known, or promised by `multiple_of`,
/// to be a multiple of what an atom needs. Checked as `expect` is: the launch
/// ends where the part reaches beyond the tile.
SharedTile slice(const SharedTile &tile, std::initializer_list<Index> offset,
                 const Shape &shape,
                 SourceLocation where = SourceLocation::current());

/// One tile of a stage.
struct StageTile {
  ElementType type;
  Shape shape;
  SourceLocation where;
};

/// Describes a tile that each stage of a pipeline has in shared memory.
inline StageTile smem(ElementType type, Shape shape,
                      SourceLocation where = SourceLocation::current()) {
  return {type, std::move(shape), where};
}

} // namespace ashlar
