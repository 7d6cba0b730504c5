// What the elements of a fragment are together: along its rows, along its
// columns, or all of them; or each with those before it, which is a scan.
//
// A warp combines what it holds by shuffles. Where a row or column lies in
// several warps of the role they exchange their parts through shared memory,
// behind a barrier of the role; `--resources` says where. f16, bf16 and fp8 are
// combined in f32 and rounded once, s8 and s16 in s32. The order of additions
// is that of the layout: the same in each run, and not from left to right.
#pragma once

#include "ashlar/fragment.h"

namespace ashlar {

/// One value for each row: the elements along the last dimension combined. The
/// result lacks that dimension, and that of a matrix meets it again as
/// `along_rows(result)`. Throws for a vector: its elements are combined by
/// `sum` and the like.
Fragment row_sum(const Fragment &a,
                 SourceLocation where = SourceLocation::current());
/// NaN where the row has one.
Fragment row_max(const Fragment &a,
                 SourceLocation where = SourceLocation::current());
/// NaN where the row has one.
Fragment row_min(const Fragment &a,
                 SourceLocation where = SourceLocation::current());
/// The column, s32, of the largest element: of the first NaN if there is one,
/// else of the first of equals.
Fragment row_argmax(const Fragment &a,
                    SourceLocation where = SourceLocation::current());
/// The column, s32, of the least element: as `row_argmax`.
Fragment row_argmin(const Fragment &a,
                    SourceLocation where = SourceLocation::current());
/// Whether the mask is true somewhere in the row.
Mask row_any(const Mask &a, SourceLocation where = SourceLocation::current());
/// Whether the mask is true in the whole row.
Mask row_all(const Mask &a, SourceLocation where = SourceLocation::current());

/// One value for each column: the elements along the last but one dimension
/// combined, which the result lacks. It meets the fragment again as it is.
Fragment column_sum(const Fragment &a,
                    SourceLocation where = SourceLocation::current());
Fragment column_max(const Fragment &a,
                    SourceLocation where = SourceLocation::current());
Fragment column_min(const Fragment &a,
                    SourceLocation where = SourceLocation::current());
/// The row, s32, of the largest element of the column: as `row_argmax`.
Fragment column_argmax(const Fragment &a,
                       SourceLocation where = SourceLocation::current());
Fragment column_argmin(const Fragment &a,
                       SourceLocation where = SourceLocation::current());
Mask column_any(const Mask &a,
                SourceLocation where = SourceLocation::current());
Mask column_all(const Mask &a,
                SourceLocation where = SourceLocation::current());

/// Of each element, what it and those before it in its row are together: a
/// fragment of the same shape. Of sums of s8 and s16 it is s32. A vector is one
/// row.
Fragment row_inclusive_sum(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
Fragment row_inclusive_max(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
Fragment row_inclusive_min(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
/// Of each element, what those before it in its row are together, without the
/// element itself: of the first one 0, or the least or largest value of the
/// type (an infinity of f32, bf16 and f16).
Fragment row_exclusive_sum(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
Fragment row_exclusive_max(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
Fragment row_exclusive_min(const Fragment &a,
                           SourceLocation where = SourceLocation::current());
/// The same along columns, from the first row on.
Fragment column_inclusive_sum(const Fragment &a,
                              SourceLocation where = SourceLocation::current());
Fragment column_inclusive_max(const Fragment &a,
                              SourceLocation where = SourceLocation::current());
Fragment column_inclusive_min(const Fragment &a,
                              SourceLocation where = SourceLocation::current());
Fragment column_exclusive_sum(const Fragment &a,
                              SourceLocation where = SourceLocation::current());
Fragment column_exclusive_max(const Fragment &a,
                              SourceLocation where = SourceLocation::current());
Fragment column_exclusive_min(const Fragment &a,
                              SourceLocation where = SourceLocation::current());

/// Of all elements.
Scalar sum(const Fragment &a, SourceLocation where = SourceLocation::current());
/// NaN if there is one.
Scalar max(const Fragment &a, SourceLocation where = SourceLocation::current());
/// NaN if there is one.
Scalar min(const Fragment &a, SourceLocation where = SourceLocation::current());
Condition any(const Mask &a, SourceLocation where = SourceLocation::current());
Condition all(const Mask &a, SourceLocation where = SourceLocation::current());

} // namespace ashlar
