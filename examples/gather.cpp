// MoE permutation: the rows of tokens, sorted by expert. How many rows there
// are, and which, only the device knows.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>

using namespace ashlar;

/// D[i] = X[Rows[i]] for the first Count[0] rows; the others stay as they are.
Kernel gather() {
  return kernel("gather", [] {
    constexpr int64_t height = 8, width = 1024;
    Size M = size("M"), T = size("T"), N = size("N");
    expect(T > 0, "there is a row to take, T is 1 or more");
    Tensor X = input("X", bf16, {T, N});
    Tensor rows = input("Rows", s32, {M}, align(4));
    Tensor count = input("Count", s32, {1}, align(4));
    Tensor D = inout("D", bf16, {M, N});
    TileLoop tiles = grid({M, N}, {height, width});
    role("all", warps(4), [&] {
      Index used = load_index(count.at({0}));
      for (auto [m, n] : tiles) {
        Index first = m * height;
        when(
            first + height <= used,
            [&] {
              store(D.tile({m, n}), load(X.tile({0, n}).rows(rows.at({first})),
                                         {height, width}));
            },
            [&] { // the last rows, one by one
              for (Index i : range(first, used))
                store(
                    D.at({i, n * width}),
                    load(X.at({0, n * width}).rows(rows.at({i})), {1, width}));
            });
      }
    });
  });
}

static int64_t countOf(const Problem &p) { return p.size("M") * 3 / 4; }
static int64_t rowOf(const Problem &p, int64_t m) {
  return m * 7919 % std::max<int64_t>(p.size("T"), 1);
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  return at[0] < countOf(p) ? p["X"](rowOf(p, at[0]), at[1]) : p["D"](at);
}

int main(int argc, char **argv) {
  return tool(argc, argv, gather(),
              {.sizes = {{"M", 16384}, {"T", 8192}, {"N", 4096}},
               .simulated_sizes = {{"M", 25}, {"T", 5}, {"N", 3000}},
               .inputs = {{"Rows",
                           [](const Problem &p, std::span<const int64_t> at) {
                             return double(rowOf(p, at[0]));
                           }},
                          {"Count",
                           [](const Problem &p, std::span<const int64_t>) {
                             return double(countOf(p));
                           }}},
               .references = {{"D", reference}}});
}
