// What surrounds the kernel of attention's gradients: a pass over the rows
// before it, and one behind it.

#include "ashlar/attention.h"

#include "ashlar/ashlar.h"
#include "ashlar/error.h"
#include "kernels/AttentionResources.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

namespace ashlar {

namespace {

/// Rows of Q, a few to a tile, of a batch or of packed sequences.
class RowsOfQueries {
public:
  RowsOfQueries(const AttentionForm &form, SourceLocation where)
      : height(heightFor(std::max(form.d, form.dv))), packed(form.packed),
        where(where) {
    if (const std::string why = notDifferentiable(form); !why.empty())
      throw Error({where.file_name(), where.line(), where.column()},
                  "attention's gradients: " + why);
    ctas_per_sm(8);
  }

  Tensor read(std::string_view name, ElementType type, int64_t width) const {
    return packed ? input(name, type, {H, Rows, width}, align(16), where)
                  : input(name, type, {*B, H, Rows, width}, align(16), where);
  }
  Tensor written(std::string_view name, ElementType type, int64_t width) const {
    return packed ? output(name, type, {H, Rows, width}, align(16), where)
                  : output(name, type, {*B, H, Rows, width}, align(16), where);
  }
  Tensor writtenValues(std::string_view name) const {
    return packed ? output(name, f32, {H, Rows}, align(4), where)
                  : output(name, f32, {*B, H, Rows}, align(4), where);
  }

  struct Tile {
    Index b, h, i;
  };
  TileRef of(const Tensor &matrix, const Tile &t) const {
    return packed ? matrix.tile({t.h, t.i, 0})
                  : matrix.tile({t.b, t.h, t.i, 0});
  }
  TileRef valuesOf(const Tensor &vector, const Tile &t) const {
    return packed ? vector.tile({t.h, t.i}) : vector.tile({t.b, t.h, t.i});
  }

  void forEach(const std::function<void(const Tile &)> &body) const {
    role("rows", warps(4), [&] {
      for (auto [b, h, i] : tiles)
        body({b, h, i});
    });
  }

  /// Of a tile.
  const int64_t height;

private:
  /// Some 2048 elements, of which few registers of a thread hold its own.
  static int64_t heightFor(int64_t width) {
    return width > 128 ? 8 : width > 64 ? 16 : 32;
  }

  const bool packed;
  const SourceLocation where; ///< of whom a launch is refused
  std::optional<Size> B = packed ? std::nullopt : std::optional(size("B"));
  Size H = size("H"), Rows = size(packed ? "Tq" : "Sq");
  TileLoop<3> tiles =
      persistent({packed ? Index(1) : Index(*B), H, Rows}, {1, 1, height});
};

} // namespace

Kernel attention_delta(const AttentionForm &form, SourceLocation where) {
  return kernel(
      "attention_delta",
      [&] {
        programmatic_launch();
        const RowsOfQueries rows(form, where);
        // As many columns as divide among the threads.
        const AttentionForm tiles = formOfTiles(form);
        const Shape shape{rows.height, tiles.dv};
        Tensor O = rows.read("O", form.type, form.dv);
        Tensor DO = rows.read("DO", form.type, form.dv);
        Tensor Delta = rows.writtenValues("Delta");
        Tensor sums = rows.written("Sums", f32, form.d);
        rows.forEach([&](const RowsOfQueries::Tile &t) {
          Fragment o = convert(load(rows.of(O, t), shape), f32);
          Fragment gradient = convert(load(rows.of(DO, t), shape), f32);
          store(rows.valuesOf(Delta, t), row_sum(o * gradient));
          store(rows.of(sums, t), zeros(f32, {rows.height, tiles.d}));
        });
      },
      where);
}

Kernel attention_query_gradient(const AttentionForm &form,
                                SourceLocation where) {
  return kernel(
      "attention_query_gradient",
      [&] {
        programmatic_launch();
        const RowsOfQueries rows(form, where);
        Tensor sums = rows.read("Sums", f32, form.d);
        Tensor DQ = rows.written("DQ", form.type, form.d);
        Scalar scale = scalar("scale", f32, where);
        rows.forEach([&](const RowsOfQueries::Tile &t) {
          Fragment sum =
              load(rows.of(sums, t), {rows.height, formOfTiles(form).d});
          store(rows.of(DQ, t), convert(sum * scale, form.type));
        });
      },
      where);
}

} // namespace ashlar
