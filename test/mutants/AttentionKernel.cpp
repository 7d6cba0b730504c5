#include "test/mutants/Kernels.h"

#include <limits>
#include <numbers>

namespace ashlar::test {

namespace {

constexpr int64_t bm = 128, bn = 64, d = 64;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float unit = std::numbers::log2e_v<float> / 8; // log2(e) / sqrt(d)

} // namespace

Kernel attention() {
  return kernel("attention", [] {
    Size H = size("H"), Sq = size("Sq"), Sk = size("Sk");
    Tensor Q = input("Q", bf16, {H, Sq, d});
    Tensor K = input("K", bf16, {H, Sk, d});
    Tensor V = input("V", bf16, {H, Sk, d});
    Tensor O = output("O", bf16, {H, Sq, d});
    TileLoop heads = persistent({H}, {1});
    Pipeline query = pipeline(1, smem(bf16, {bm, d}));
    Pipeline ring = pipeline(3, smem(bf16, {bn, d}));
    Pipeline result = pipeline(1, smem(bf16, {bm, d}));

    role("load", warps(1), registers(24), [&] {
      for (auto [h] : heads)
        for (Index m : range(ceil_div(Sq, bm))) {
          auto fetch = [&](const Tensor &from, const Index &n) {
            Stage s = ring.acquire();         // [acquire K or V]
            copy(from.tile({h, n, 0}), s[0]); // [copy K or V]
            ring.commit(s);
          };
          Stage q = query.acquire();     // [acquire Q]
          copy(Q.tile({h, m, 0}), q[0]); // [copy Q]
          query.commit(q);
          fetch(K, 0);
          for (Index n : range(1, ceil_div(Sk, bn))) {
            fetch(K, n);
            fetch(V, n - 1);
          }
          fetch(V, ceil_div(Sk, bn) - 1);
        }
    });

    role("store", warps(1), registers(24), [&] {
      for (auto [h] : heads)
        for (Index m : range(ceil_div(Sq, bm))) {
          Stage s = result.wait();
          copy(s[0], O.tile({h, m, 0})); // [copy O]
          result.release(s);
        }
    });

    role("math", warpgroups(2), registers(240), [&] { // [attention math]
      for (auto [h] : heads)
        for (Index m : range(ceil_div(Sq, bm))) {
          Fragment o = zeros(f32, {bm, d}), shrink = zeros(f32, {bm});
          Fragment top = full(f32, {bm}, -infinity), sum = zeros(f32, {bm});
          auto weightsOf = [&](const Fragment &scores) { // the online softmax
            Fragment higher = max(top, row_max(scores) * unit); // [row max]
            shrink = fast::exp2(top - higher);
            Fragment e = fast::exp2(scores * unit - along_rows(higher));
            sum = sum * shrink + row_sum(e);
            top = higher;
            return e;
          };
          Stage q = query.wait(); // [wait for Q]
          Stage values = ring.wait();
          Fragment scores = mma(q[0], values[0].T()); // [first scores]
          Index last = ceil_div(Sk, bn) - 1;
          for (Index n : range(last)) {
            Fragment e = weightsOf(scores);
            Stage k = ring.wait();
            Fragment p = convert(e, bf16);
            Stage v = ring.wait();        // [wait for V]
            scores = mma(q[0], k[0].T()); // [scores]
            o = o * along_rows(shrink);   // [rescale]
            o = mma(p, v[0], o);          // [sums]
            ring.release(values);
            ring.release(k);
            values = v;
          }
          query.release(q); // [release Q]
          Fragment key = columns({bm, bn}) + last * bn;
          Fragment e = weightsOf(select(key < Sk, scores, -infinity));
          Fragment p = convert(e, bf16);
          Stage v = ring.wait();
          o = mma(p, v[0], o * along_rows(shrink)); // [last sums]
          ring.release(values);
          ring.release(v);
          Stage s = result.acquire();                          // [acquire O]
          store(s[0], convert(o * along_rows(1 / sum), bf16)); // [store O]
          result.commit(s);                                    // [commit O]
        }
    });
  });
}

} // namespace ashlar::test
