// What parts of the keys make together.

#include "ashlar/attention.h"

#include "ashlar/ashlar.h"

#include <limits>

namespace ashlar {

static constexpr float infinity = std::numeric_limits<float>::infinity();

Kernel combine_attention(const AttentionForm &form, SourceLocation where) {
  return kernel(
      "combine_attention",
      [&] {
        constexpr int64_t height = 16;
        const Shape rows{height}, shape{height, form.dv};
        Size S = size("S"), R = size("R");
        Tensor parts = input("Parts", f32, {S, R, form.dv});
        Tensor partL = input("PartL", f32, {S, R}, align(4));
        Tensor O = output("O", form.type, {R, form.dv});
        std::optional<Tensor> L;
        if (form.logarithms)
          L.emplace(output("L", f32, {R}, align(4)));
        TileLoop tiles = persistent({R}, {height});
        role("combine", warps(4), [&] {
          for (auto [i] : tiles) {
            Fragment top = full(f32, rows, -infinity), sum = zeros(f32, rows);
            for (Index s : range(S))
              top = max(top, load(partL.tile({s, i}), rows));
            Fragment base = select(top == -infinity, 0, top);
            Fragment o = zeros(f32, shape);
            for (Index s : range(S)) {
              Fragment weight = exp(load(partL.tile({s, i}), rows) - base);
              sum += weight;
              o += load(parts.tile({s, i, 0}), shape) * along_rows(weight);
            }
            o = o * along_rows(select(sum == 0, 0, 1 / sum));
            store(O.tile({i, 0}), convert(o, form.type));
            if (L)
              store(L->tile({i}), top + log(sum));
          }
        });
      },
      where);
}

} // namespace ashlar
