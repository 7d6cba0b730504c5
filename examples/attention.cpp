// Attention forward: O = softmax(Q · Kᵀ · scale) · V, and L, the logarithm of
// each row's sum. The scores of the next block of keys are multiplied while
// this one's become weights; heads of K and V may be shared by several of Q.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace ashlar;

namespace {

struct AttentionConfig {
  int64_t d, bm, bn, stages;
  bool causal;
  bool overlap, fold, masks, pairs; ///< steps of docs/attention.md
};

constexpr float infinity = std::numeric_limits<float>::infinity();

Kernel attention(const AttentionConfig &c) {
  return kernel("attention", [&] {
    Size B = size("B"), H = size("H"), Hk = size("Hk");
    Size Sq = size("Sq"), Sk = size("Sk");
    Tensor Q = input("Q", bf16, {B, H, Sq, c.d});
    Tensor K = input("K", bf16, {B, Hk, Sk, c.d});
    Tensor V = input("V", bf16, {B, Hk, Sk, c.d});
    Tensor O = output("O", bf16, {B, H, Sq, c.d});
    Tensor L = output("L", f32, {B, H, Sq}, align(4));
    Scalar scale = scalar("scale", f32); // times log2(e)

    const Shape rows{c.bm}, block{c.bm, c.bn};
    TileLoop tiles = persistent({B, H, Sq}, {1, 1, c.pairs ? 2 * c.bm : c.bm},
                                Raster::grouped(8));
    Pipeline q = pipeline(1, smem(bf16, {c.bm, c.d}));
    Pipeline kv = pipeline(c.stages, smem(bf16, {c.bn, c.d})); // in turn
    Pipeline out = pipeline(1, smem(bf16, {c.bm, c.d}));

    // A pair of causal tiles, one of many keys and one of few, is as much work
    // as any other.
    auto forEachTile = [&](auto body) {
      for (auto [b, h, i] : tiles)
        if (c.pairs)
          for (Index half : range(min(ceil_div(Sq, c.bm) - 2 * i, 2)))
            body(b, h, i + (1 - half) * (ceil_div(Sq, c.bm) - 1 - 2 * i));
        else
          body(b, h, i);
    };
    auto seen = [&](Index row) { // keys, by a row
      return c.causal ? max(min(Sk, row + 1 + Sk - Sq), 0) : Index(Sk);
    };
    auto blocks = [&](Index m) {
      return max(ceil_div(seen((m + 1) * c.bm - 1), c.bn), 1);
    };

    role("load", warps(1), registers(24), [&] {
      forEachTile([&](Index b, Index h, Index m) {
        auto fetch = [&](Pipeline &ring, const TileRef &from) {
          Stage s = ring.acquire();
          copy(from, s[0]);
          ring.commit(s);
        };
        Index g = h / (H / Hk);
        fetch(q, Q.tile({b, h, m, 0}));
        fetch(kv, K.tile({b, g, 0, 0}));
        for (Index n : range(1, blocks(m))) {
          fetch(kv, K.tile({b, g, n, 0}));
          fetch(kv, V.tile({b, g, n - 1, 0}));
        }
        fetch(kv, V.tile({b, g, blocks(m) - 1, 0}));
      });
    });

    role("store", warps(1), registers(24), [&] {
      forEachTile([&](Index b, Index h, Index m) {
        Stage s = out.wait();
        copy(s[0], O.tile({b, h, m, 0}));
        out.release(s);
      });
    });

    role("math", warpgroups(2), registers(240), [&] {
      forEachTile([&](Index b, Index h, Index m) {
        Fragment o = zeros(f32, {c.bm, c.d}), shrink = zeros(f32, rows);
        Fragment top = full(f32, rows, -infinity), sum = zeros(f32, rows);
        auto masked = [&](const Fragment &x, Index n) {
          if (!c.causal)
            return select(columns(block) < Sk - n * c.bn, x, -infinity);
          Fragment end = min(columns(rows) + (m * c.bm + 1 + Sk - Sq), Sk);
          return select(columns(block) < along_rows(end - n * c.bn), x,
                        -infinity);
        };
        auto weights = [&](Fragment x) { // the online softmax
          Scalar unit = c.fold ? scale : convert(1.0f, f32);
          x = c.fold ? x : x * scale;
          Fragment higher = max(top, row_max(x) * unit);
          // There may have been no key yet.
          Fragment base = select(higher == -infinity, 0, higher);
          shrink = fast::exp2(top - base);
          Fragment e = fast::exp2(x * unit - along_rows(base));
          sum = sum * shrink + row_sum(e);
          top = higher;
          return e;
        };
        Stage query = q.wait(), values = kv.wait();
        Fragment x = mma(query[0], values[0].T());
        Index last = blocks(m) - 1, whole = seen(m * c.bm) / c.bn;
        for (Index n : range(last)) {
          Fragment y = c.masks ? x : masked(x, n);
          if (c.causal && c.masks)
            when(n >= whole, [&] { y = masked(x, n); });
          Fragment e = weights(y);
          Stage s = kv.wait();
          Fragment p = convert(e, bf16);
          Stage t = kv.wait();
          // In flight: the next block's scores, and this one's sums, under the
          // next softmax.
          Fragment next = c.overlap ? mma(query[0], s[0].T()) : x;
          o = o * along_rows(shrink);
          o = mma(p, t[0], o);
          x = c.overlap ? next : mma(query[0], s[0].T());
          kv.release(values);
          kv.release(s);
          values = t;
        }
        q.release(query);
        Fragment p = convert(weights(masked(x, last)), bf16);
        Stage t = kv.wait();
        o = mma(p, t[0], o * along_rows(shrink));
        kv.release(values);
        kv.release(t);
        o = o * along_rows(select(sum == 0, 0, 1 / sum));
        Stage result = out.acquire();
        store(result[0], convert(o, bf16));
        out.commit(result);
        store(L.tile({b, h, m}), top + log2(sum));
      });
    });
  });
}
/// The scores of a row, by key; -inf where it may not look.
std::vector<double> scores(const Problem &p, std::span<const int64_t> at,
                           bool causal) {
  const HostTensor &q = p["Q"], &k = p["K"];
  const int64_t keys = p.size("Sk"), d = q.shape()[3];
  const int64_t group = p.size("H") / p.size("Hk");
  std::vector<double> result(keys, -infinity);
  for (int64_t n = 0; n < keys; ++n)
    if (!causal || n <= at[2] + keys - p.size("Sq")) {
      result[n] = 0;
      for (int64_t i = 0; i < d; ++i)
        result[n] += q(at[0], at[1], at[2], i) * k(at[0], at[1] / group, n, i);
    }
  return result;
}

double largest(const std::vector<double> &scores) {
  double top = -infinity;
  for (double score : scores)
    top = std::max(top, score);
  return top;
}

auto reference(bool causal) {
  return [=](const Problem &p, std::span<const int64_t> at) {
    std::vector<double> s = scores(p, at, causal);
    const double top = largest(s);
    const int64_t group = p.size("H") / p.size("Hk");
    double sum = 0, result = 0;
    if (top == -infinity)
      return 0.0;
    for (size_t n = 0; n < s.size(); ++n) {
      const double weight = std::exp2((s[n] - top) * p.scalar("scale"));
      sum += weight;
      result +=
          weight == 0 ? 0 : weight * p["V"](at[0], at[1] / group, n, at[3]);
    }
    return result / sum;
  };
}

auto logarithm(bool causal) {
  return [=](const Problem &p, std::span<const int64_t> at) {
    std::vector<double> s = scores(p, at, causal);
    const double top = largest(s);
    double sum = 0;
    if (top == -infinity)
      return -double(infinity);
    for (double x : s)
      sum += std::exp2((x - top) * p.scalar("scale"));
    return top * p.scalar("scale") + std::log2(sum);
  };
}

auto operations(bool causal) {
  return [=](const Problem &p) {
    const double queries = p.size("Sq"), keys = p.size("Sk");
    double pairs = 0; // of a query and a key that it sees
    for (double i = 0; i < queries; ++i)
      pairs +=
          causal ? std::max(std::min(keys, i + 1 + keys - queries), 0.0) : keys;
    return 4 * double(p.size("B") * p.size("H")) * pairs *
           double(p["Q"].shape()[3]);
  };
}

} // namespace

int main(int argc, char **argv) {
  const bool causal = std::any_of(argv, argv + argc, [](char *argument) {
    return std::string_view(argument).ends_with("causal=1");
  });
  return tool(
      argc, argv,
      [](const Constants &c) {
        return attention({.d = c["d"],
                          .bm = c["bm"],
                          .bn = c["bn"],
                          .stages = c["stages"],
                          .causal = c["causal"] != 0,
                          .overlap = c["overlap"] != 0,
                          .fold = c["fold"] != 0,
                          .masks = c["masks"] != 0,
                          .pairs = c["causal"] && c["pairs"]});
      },
      {.sizes = {{"B", 4}, {"H", 16}, {"Hk", 16}, {"Sq", 4096}, {"Sk", 4096}},
       .constants = {{"d", 128},
                     {"bm", 128},
                     {"bn", 128},
                     {"stages", 4},
                     {"causal", 0},
                     {"overlap", 1},
                     {"fold", 1},
                     {"masks", 1},
                     {"pairs", 1}},
       .simulated_sizes =
           {{"B", 1}, {"H", 2}, {"Hk", 1}, {"Sq", 150}, {"Sk", 300}},
       .scalars = {{"scale", 0.1275}},
       .references = {{"O", reference(causal)}, {"L", logarithm(causal)}},
       .operations = operations(causal)});
}
