// A stage of the ring that the epilogue reuses to stage its results: committed
// without being filled, and released when TMA has read it.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

enum class Use {
  byWarps,
  transposed,
  readAgain, ///< by the warps that wrote it, and stored by ordinary stores
  nothing,
};

struct Reuse {
  std::string name;
  ElementType d = bf16;
  Use use = Use::byWarps;
  int64_t bm = 128, bn = 64, width = 64, stages = 3;
  int64_t cluster = 1;
  bool inPingPong = false;
};

constexpr int64_t bk = 64;

/// As many strips as lie in a stage.
std::vector<SharedTile> stagingIn(const Stage &stage, const Reuse &c) {
  std::vector<SharedTile> staging;
  Shape shape =
      c.use == Use::transposed ? Shape{c.width, c.bm} : Shape{c.bm, c.width};
  const int64_t strip = c.bm * c.width * size_bytes(c.d);
  for (auto [tile, rows] : {std::pair{0, c.bm}, std::pair{1, c.bn}})
    for (int64_t i = 0; (i + 1) * strip <= rows * bk * 2; ++i)
      staging.push_back(stage[tile].as(c.d, shape, i));
  return staging;
}

Kernel gemmWithReusedStages(const Reuse &c) {
  return kernel("reused_stage", [&] {
    const bool transposed = c.use == Use::transposed;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = transposed ? output("D", c.d, {N, M}) : output("D", c.d, {M, N});
    cluster({c.cluster, 1});
    TileLoop tiles = persistent({M, N}, {c.bm, c.bn}, Raster::grouped(4));
    Pipeline ring =
        pipeline(c.stages, smem(bf16, {c.bm, bk}), smem(bf16, {c.bn, bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles) {
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          if (c.cluster > 1)
            copy(B.tile({n, k}), s[1], multicast);
          else
            copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
        ring.commit(ring.acquire());
      }
    });
    auto math = [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {c.bm, c.bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Stage reused = ring.wait();
        std::vector<SharedTile> staging = stagingIn(reused, c);
        for (int64_t i = 0; i * c.width < c.bn; ++i) {
          Fragment part = slice(acc, {0, i * c.width}, {c.bm, c.width});
          Fragment strip = c.d == f32 ? part : convert(part, c.d);
          Index row = m * c.bm, column = n * c.bn + i * c.width;
          TileRef place =
              transposed ? D.at({column, row}) : D.at({row, column});
          const SharedTile &tile = staging[i % staging.size()];
          if (c.use == Use::nothing) {
            store(place, strip);
          } else if (c.use == Use::readAgain) {
            store(tile, strip);
            store(place, load(tile));
          } else {
            store(transposed ? tile.T() : tile, strip);
            copy(tile, place);
          }
        }
        ring.release(reused);
      }
    };
    role("math", c.inPingPong ? ping_pong(2) : warpgroups(c.bm / 64),
         registers(200), math);
  });
}

Feature feature(const Reuse &c) {
  auto reference = [c](const Problem &p, Coordinate at) {
    const bool transposed = c.use == Use::transposed;
    const int64_t from[] = {at[transposed ? 1 : 0], at[transposed ? 0 : 1]};
    return gemmReference(p, from);
  };
  std::vector<Sizes> problems = gemmProblems();
  // Rows that TMA cuts off by itself and rows that it does not; more tiles than
  // there are CTAs; tiles without a product.
  problems.push_back({{"M", 264}, {"N", 136}, {"K", 192}});
  problems.push_back({{"M", 267}, {"N", 139}, {"K", 64}});
  problems.push_back({{"M", 1400}, {"N", 1048}, {"K", 24}});
  problems.push_back({{"M", 200}, {"N", 72}, {"K", 0}});
  return {c.name, [c] { return gemmWithReusedStages(c); }, problems, reference,
          c.d == f32    ? 1e-5
          : c.d == bf16 ? 5e-3
                        : 7e-2};
}

/// Nothing but TMA and threads use the stages: D is A.
Kernel copyThroughReusedStages() {
  return kernel("reused_stage", [] {
    Size M = size("M"), N = size("N");
    Tensor A = input("A", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    TileLoop tiles = persistent({M, N}, {16, 32});
    Pipeline ring = pipeline(3, smem(f32, {16, 32}));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        copy(A.tile({m, n}), s[0]);
        ring.commit(s);
        ring.commit(ring.acquire());
      }
    });
    role("store", warps(4), [&] {
      for (auto [m, n] : tiles) {
        Stage full = ring.wait();
        Fragment x = load(full[0]);
        ring.release(full);
        Stage reused = ring.wait();
        store(reused[0], x);
        store(D.tile({m, n}), load(reused[0]));
        ring.release(reused);
      }
    });
  });
}

Feature copied() {
  std::vector<Sizes> problems{{{"M", 100}, {"N", 72}},
                              {{"M", 640}, {"N", 512}}};
  return {
      "reused stages that only threads use", copyThroughReusedStages, problems,
      [](const Problem &p, Coordinate at) { return p["A"](at[0], at[1]); }, 0};
}

/// D = (2·X + 1)², each row in the stage that TMA has filled: stored there,
/// read again in a second pass, and copied out of it by TMA or stored by
/// threads.
Feature rewritten(ElementType type, bool copiedOut) {
  return {"stages of " + std::string(name(type)) + " rewritten" +
              (copiedOut ? " and copied out" : ""),
          [=] {
            return kernel("rewritten_stage", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N}), D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {16, 64});
              Pipeline ring =
                  pipeline(2, smem(type, {16, 64}), smem(f32, {16, 64}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("work", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]);
                  store(s[0], x + x);
                  Fragment y =
                      type == f32 ? load(s[0]) : convert(load(s[0]), f32);
                  Fragment z = (y + 1) * (y + 1);
                  if (copiedOut) {
                    store(s[1], z);
                    copy(s[1], D.tile({m, n}));
                  } else {
                    store(D.tile({m, n}), z);
                  }
                  ring.release(s);
                }
              });
            });
          },
          {{{"M", 100}, {"N", 72}}, {{"M", 640}, {"N", 512}}},
          [](const Problem &p, Coordinate at) {
            const double y = 2 * p["X"](at[0], at[1]) + 1;
            return y * y;
          },
          1e-6};
}

[[maybe_unused]] const bool registered = registerFeatures({
    copied(),
    rewritten(f32, false),
    rewritten(f32, true),
    rewritten(bf16, false),
    rewritten(bf16, true),
    feature({"a reused stage that warps store"}),
    feature({.name = "a reused stage stored by more strips than it holds",
             .bn = 128,
             .width = 32,
             .stages = 2}),
    feature({.name = "one reused stage and no other", .stages = 1}),
    feature({.name = "a reused stage of f32", .d = f32, .width = 32}),
    feature({.name = "a reused stage of fp8", .d = e4m3}),
    feature(
        {.name = "a reused stage stored transposed", .use = Use::transposed}),
    feature({.name = "strips of a reused stage stored transposed",
             .use = Use::transposed,
             .width = 16}),
    feature(
        {.name = "a reused stage that is read again", .use = Use::readAgain}),
    feature({.name = "a reused stage that is not used", .use = Use::nothing}),
    feature({.name = "reused stages of a cluster",
             .bn = 128,
             .width = 32,
             .cluster = 2}),
    feature({.name = "reused stages of a cluster of four",
             .use = Use::transposed,
             .bm = 64,
             .cluster = 4}),
    feature(
        {.name = "reused stages in ping pong", .bm = 64, .inPingPong = true}),
    feature({.name = "reused stages of a cluster in ping pong",
             .bm = 64,
             .bn = 128,
             .width = 32,
             .cluster = 2,
             .inPingPong = true}),
});

} // namespace
} // namespace ashlar::test
