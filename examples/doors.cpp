// Looking into a kernel: lines that it prints, what it expects, and an
// instruction that the language lacks.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <cmath>

using namespace ashlar;

/// D is the sine of X, which is to lie between -4 and 4.
Kernel doors() {
  return kernel("doors", [] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    TileLoop rows = grid({M}, {1});
    role("math", warps(1), [&] {
      for (auto [m] : rows) {
        Fragment x = load(X.at({m, 0}), {1, 64});
        expect(abs(x) < 4, "an angle is between -4 and 4");
        Fragment y = ptx("sin.approx.ftz.f32 $0, $1;", f32, {x});
        print("row {} has a sum of {}", m, sum(y));
        when(m == 0,
             [&] { print("largest {} at {}", row_max(y), row_argmax(y)); });
        store(D.at({m, 0}), y);
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(
      argc, argv, doors(),
      {.sizes = {{"M", 3}, {"N", 64}},
       .references = {{"D", [](const Problem &p, std::span<const int64_t> at) {
                         return std::sin(p["X"](at[0], at[1]));
                       }}}});
}
