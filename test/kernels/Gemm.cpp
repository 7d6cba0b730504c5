#include "test/kernels/Gemm.h"
#include "test/kernels/Check.h"

namespace ashlar::test {

std::string GemmSpec::str() const {
  std::string text;
  auto add = [&](const std::string &word) {
    text += (text.empty() ? "" : "_") + word;
  };
  for (ElementType type : {a, b, accumulator, d})
    add(std::string(name(type)));
  add(shapeText(bm, bn, bk));
  add("s" + std::to_string(stages));
  if (clusterM * clusterN > 1)
    add("c" + std::to_string(clusterM) + "x" + std::to_string(clusterN));
  add("w" + std::to_string(mathWarpgroups));
  if (transposeA)
    add("tA");
  if (transposeB)
    add("tB");
  if (alignment != 16)
    add("align" + std::to_string(alignment));
  if (alignmentOfD != 16)
    add("alignD" + std::to_string(alignmentOfD));
  if (!isPersistent)
    add("grid");
  if (!budgets)
    add("free");
  if (stagedStore)
    add("staged");
  if (twoLoaders)
    add("loaders2");
  return text;
}

namespace {

void loader(const GemmSpec &c, std::string_view name, detail::Body<> body) {
  if (c.budgets)
    role(name, warps(1), registers(40), body);
  else
    role(name, warps(1), body);
}

void math(const GemmSpec &c, detail::Body<> body) {
  int64_t budget = c.mathWarpgroups == 1   ? 240
                   : c.mathWarpgroups == 2 ? 232
                                           : 152;
  if (c.budgets)
    role("math", warpgroups(c.mathWarpgroups), registers(budget), body);
  else
    role("math", warpgroups(c.mathWarpgroups), body);
}

} // namespace

Kernel gemm(const GemmSpec &c) {
  return kernel("gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = c.transposeA ? input("A", c.a, {K, M}, align(c.alignment))
                            : input("A", c.a, {M, K}, align(c.alignment));
    Tensor B = c.transposeB ? input("B", c.b, {K, N}, align(c.alignment))
                            : input("B", c.b, {N, K}, align(c.alignment));
    Tensor D = output("D", c.d, {M, N}, align(c.alignmentOfD));

    cluster({c.clusterM, c.clusterN});
    TileLoop tiles = c.isPersistent
                         ? persistent({M, N}, {c.bm, c.bn}, Raster::grouped(8))
                         : grid({M, N}, {c.bm, c.bn}, Raster::along_m());
    Shape shapeA = c.transposeA ? Shape{c.bk, c.bm} : Shape{c.bm, c.bk};
    Shape shapeB = c.transposeB ? Shape{c.bk, c.bn} : Shape{c.bn, c.bk};
    Pipeline ring = pipeline(c.stages, smem(c.a, shapeA), smem(c.b, shapeB));
    std::vector<SharedTile> staging;
    if (c.stagedStore)
      staging.push_back(shared(c.d, {c.bm, c.bn}));

    auto copyA = [&](Index m, Index k, Stage s) {
      TileRef tile = c.transposeA ? A.tile({k, m}) : A.tile({m, k});
      if (c.clusterN > 1)
        copy(tile, s[0], multicast);
      else
        copy(tile, s[0]);
    };
    auto copyB = [&](Index n, Index k, Stage s) {
      TileRef tile = c.transposeB ? B.tile({k, n}) : B.tile({n, k});
      if (c.clusterM > 1)
        copy(tile, s[1], multicast);
      else
        copy(tile, s[1]);
    };
    auto load = [&](bool a, bool b) {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, c.bk))) {
          Stage s = ring.acquire();
          if (a)
            copyA(m, k, s);
          if (b)
            copyB(n, k, s);
          ring.commit(s);
        }
    };
    if (c.twoLoaders) {
      loader(c, "load A", [&] { load(true, false); });
      loader(c, "load B", [&] { load(false, true); });
    } else {
      loader(c, "load", [&] { load(true, true); });
    }

    math(c, [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(c.accumulator, {c.bm, c.bn});
        for (Index k : range(ceil_div(K, c.bk))) {
          Stage s = ring.wait();
          acc = mma(c.transposeA ? s[0].T() : s[0],
                    c.transposeB ? s[1] : s[1].T(), acc);
          ring.release(s);
        }
        Fragment result = c.d == c.accumulator ? acc : convert(acc, c.d);
        if (c.stagedStore) {
          store(staging[0], result);
          copy(staging[0], D.tile({m, n}));
        } else {
          store(D.tile({m, n}), result);
        }
      }
    });
  });
}

} // namespace ashlar::test
