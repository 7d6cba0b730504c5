// The GEMM of a mixture of experts: each block of rows belongs to an expert,
// and which rows, which expert and how many blocks only the device knows.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

/// D[t] = A[t] · W[e]ᵀ for the tokens t in Ids[b], where e is Experts[b], of
/// the first Count[0] blocks b. A token is in one block; where a block has
/// none, its id is -1.
Kernel moeGemm() {
  return kernel("moe_gemm", [] {
    constexpr int64_t bm = 128, bn = 128, bk = 64;
    Size T = size("T"), E = size("E"), N = size("N"), K = size("K");
    Size blocks = size("B"), P = size("CTAs");
    Tensor A = input("A", bf16, {T, K}), W = input("W", bf16, {E, N, K});
    Tensor ids = input("Ids", s32, {blocks, bm});
    Tensor experts = input("Experts", s32, {blocks}, align(4));
    Tensor count = input("Count", s32, {1}, align(4));
    Tensor D = output("D", bf16, {T, N});
    TileLoop ctas = grid({P}, {1});
    Pipeline ring = pipeline(4, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    expect(E > 0, "there is an expert, E is 1 or more");
    Index width = ceil_div(N, bn);
    auto tiles = [&](const Index &p) {
      return range(p, load_index(count.at({0})) * width, P);
    };

    role("load", warps(4), [&] {
      for (auto [p] : ctas)
        for (Index tile : tiles(p)) {
          Index block = tile / width, n = tile % width;
          Index expert = load_index(experts.at({block}));
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.acquire();
            copy(A.tile({0, k}).rows(ids.at({block, 0})), s[0]);
            copy(W.tile({expert, n, k}), s[1]);
            ring.commit(s);
          }
        }
    });

    role("math", warpgroups(2), [&] {
      for (auto [p] : ctas)
        for (Index tile : tiles(p)) {
          Index block = tile / width, n = tile % width;
          Fragment sum = zeros(f32, {bm, bn});
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait();
            sum = mma(s[0], s[1].T(), sum);
            ring.release(s);
          }
          store(D.tile({0, n}).rows(ids.at({block, 0})), convert(sum, bf16));
        }
    });
  });
}

// Expert e has every E-th token, in as many blocks as that takes.
static int64_t expertsOf(const Problem &p) {
  return std::max<int64_t>(p.size("E"), 1);
}
static int64_t blocksOf(const Problem &p) {
  return (p.size("T") / expertsOf(p) + 128) / 128;
}
static int64_t expertOf(const Problem &p, int64_t block) {
  return std::min(block / blocksOf(p), expertsOf(p) - 1);
}
static double idOf(const Problem &p, std::span<const int64_t> at) {
  const int64_t row = at[0] % blocksOf(p) * 128 + at[1];
  const int64_t token = row * p.size("E") + at[0] / blocksOf(p);
  const bool isThere = token < p.size("T") && at[0] < blocksOf(p) * p.size("E");
  return isThere ? double(token) : -1;
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t k = 0; k < p.size("K"); ++k)
    sum += p["A"](at[0], k) * p["W"](at[0] % p.size("E"), at[1], k);
  return sum;
}

int main(int argc, char **argv) {
  using At = std::span<const int64_t>;
  return tool(
      argc, argv, moeGemm(),
      {.sizes = {{"T", 16384},
                 {"E", 8},
                 {"N", 4096},
                 {"K", 2048},
                 {"B", 160},
                 {"CTAs", 132}},
       .simulated_sizes = {{"T", 150},
                           {"E", 2},
                           {"N", 136},
                           {"K", 136},
                           {"B", 4},
                           {"CTAs", 3}},
       .inputs = {{"Ids", idOf},
                  {"Experts", [](const Problem &p,
                                 At at) { return double(expertOf(p, at[0])); }},
                  {"Count",
                   [](const Problem &p, At) {
                     return double(blocksOf(p) * p.size("E"));
                   }}},
       .references = {{"D", reference}}});
}
