// Attention in its plainest form: softmax(Q · Kᵀ · scale) · V, with the largest
// score and the sum of each row kept up to date block by block.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace ashlar;

struct AttentionConfig {
  int64_t d, bm, bn, stages;
};

constexpr float infinity = std::numeric_limits<float>::infinity();

Kernel attention(const AttentionConfig &c) {
  return kernel("attention", [&] {
    Size BH = size("BH"), Sq = size("Sq"), Sk = size("Sk"); // batch times heads
    Tensor Q = input("Q", bf16, {BH, Sq, c.d});
    Tensor K = input("K", bf16, {BH, Sk, c.d}),
           V = input("V", bf16, {BH, Sk, c.d});
    Tensor O = output("O", bf16, {BH, Sq, c.d});
    Scalar scale = scalar("scale", f32); // times log2(e)

    TileLoop tiles = persistent({BH, Sq}, {1, c.bm});
    Pipeline q = pipeline(1, smem(bf16, {c.bm, c.d}));
    Pipeline kv =
        pipeline(c.stages, smem(bf16, {c.bn, c.d}), smem(bf16, {c.bn, c.d}));

    role("load", warps(1), registers(40), [&] {
      for (auto [h, m] : tiles) {
        Stage query = q.acquire();
        copy(Q.tile({h, m, 0}), query[0]);
        q.commit(query);
        for (Index n : range(ceil_div(Sk, c.bn))) {
          Stage s = kv.acquire();
          copy(K.tile({h, n, 0}), s[0]);
          copy(V.tile({h, n, 0}), s[1]);
          kv.commit(s);
        }
      }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [h, m] : tiles) {
        Stage query = q.wait();
        Fragment o = zeros(f32, {c.bm, c.d}), sum = zeros(f32, {c.bm});
        Fragment top = full(f32, {c.bm}, -infinity);
        for (Index n : range(ceil_div(Sk, c.bn))) {
          Stage s = kv.wait();
          Fragment x = mma(query[0], s[0].T()) * scale;
          x = select(columns({c.bm, c.bn}) < Sk - n * c.bn, x, -infinity);
          Fragment higher = max(top, row_max(x));
          Fragment shrink = fast::exp2(top - higher);
          Fragment p = fast::exp2(x - along_rows(higher));
          sum = sum * shrink + row_sum(p);
          o = mma(convert(p, bf16), s[1], o * along_rows(shrink));
          kv.release(s);
          top = higher;
        }
        q.release(query);
        store(O.tile({h, m, 0}), convert(o / along_rows(sum), bf16));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  const HostTensor &q = p["Q"], &k = p["K"], &v = p["V"];
  const int64_t keys = p.size("Sk"), d = q.shape()[2];
  std::vector<double> scores(keys);
  for (int64_t n = 0; n < keys; ++n)
    for (int64_t i = 0; i < d; ++i)
      scores[n] += q(at[0], at[1], i) * k(at[0], n, i);
  const double top = *std::ranges::max_element(scores);
  double sum = 0, result = 0;
  for (int64_t n = 0; n < keys; ++n) {
    const double weight = std::exp2((scores[n] - top) * p.scalar("scale"));
    sum += weight;
    result += weight * v(at[0], n, at[2]);
  }
  return result / sum;
}

static double operations(const Problem &p) {
  return 4.0 * p.size("BH") * p.size("Sq") * p.size("Sk") * p["Q"].shape()[2];
}

int main(int argc, char **argv) {
  return tool(argc, argv,
              attention({.d = 128, .bm = 128, .bn = 128, .stages = 2}),
              {.sizes = {{"BH", 64}, {"Sq", 4096}, {"Sk", 4096}},
               .simulated_sizes = {{"BH", 2}, {"Sq", 150}, {"Sk", 300}},
               .scalars = {{"scale", 0.1275}},
               .references = {{"O", reference}},
               .operations = operations});
}
