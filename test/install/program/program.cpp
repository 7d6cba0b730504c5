// A program of someone who has installed the package.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel twice() {
  return kernel("twice", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N}), D = output("D", f32, {N});
    TileLoop tiles = persistent({N}, {128});
    role("all", warps(4), [&] {
      for (auto [n] : tiles)
        store(D.tile({n}), 2 * load(X.tile({n}), {128}));
    });
  });
}

int main(int argc, char **argv) {
  auto expected = [](const Problem &p, std::span<const int64_t> at) {
    return 2 * p["X"](at[0]);
  };
  return tool(argc, argv, twice(),
              {.sizes = {{"N", 1000}}, .references = {{"D", expected}}});
}
