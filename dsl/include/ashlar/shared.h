#pragma once

#include "ashlar/element_type.h"
#include "ashlar/handle.h"
#include "ashlar/shape.h"

namespace ashlar {

/// A tile in shared memory: one of a stage, or one that `shared` made.
class SharedTile : public detail::Handle {
public:
  explicit SharedTile(const Handle &handle) : Handle(handle) {}
  SharedTile(const SharedTile &) = default;
  SharedTile &operator=(const SharedTile &) = delete;

  /// The same tile seen with its two dimensions exchanged. Only `mma` and
  /// `store` accept such a view; no data moves.
  SharedTile T(SourceLocation where = SourceLocation::current()) const;

  /// Extents as seen, in elements.
  Shape shape(SourceLocation where = SourceLocation::current()) const;

  bool is_transposed() const { return transposed; }

private:
  bool transposed = false;
};

/// A tile in shared memory outside any pipeline.
SharedTile shared(ElementType type, const Shape &shape,
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
