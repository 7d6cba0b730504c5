#pragma once

#include "Trace.h"
#include "ashlar/shape.h"
#include "ashlar/shared.h"

namespace ashlar::detail {

/// The type of a tile in shared memory; throws unless its extents are positive.
tile::SharedType sharedType(Trace &trace, ElementType type, const Shape &shape,
                            SourceLocation where);

/// The shared tile, whether seen transposed or not.
mlir::TypedValue<tile::SharedType>
readTile(Trace &trace, const SharedTile &tile, SourceLocation where);

/// The shared tile; throws when it is a transposed view.
mlir::TypedValue<tile::SharedType> readPlain(Trace &trace,
                                             const SharedTile &tile,
                                             const char *what,
                                             SourceLocation where);

/// The same; throws when it is the tile of another CTA.
mlir::TypedValue<tile::SharedType> readOwn(Trace &trace, const SharedTile &tile,
                                           const char *what,
                                           SourceLocation where);
void refusePeer(mlir::Value tile, const char *what, SourceLocation where);

} // namespace ashlar::detail
