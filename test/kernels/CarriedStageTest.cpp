// Variables of stages: assigned, and carried by loops and branches.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

constexpr int64_t rows = 64, columns = 64;

/// Fills a ring with the tiles of X along its rows, one after another, for each
/// strip of columns.
void loadStrips(const Pipeline &ring, const TileLoop<1> &strips,
                const Tensor &X, const Size &M) {
  role("load", warps(1), [&] {
    for (auto [n] : strips)
      for (Index m : range(ceil_div(M, rows))) {
        Stage s = ring.acquire();
        copy(X.tile({m, n}), s[0]);
        ring.commit(s);
      }
  });
}

double orZero(const Problem &p, int64_t m, int64_t n) {
  return m < p.size("M") ? p["X"](m, n) : 0;
}

/// D is each tile of X and twice the next one below it.
struct Window {
  std::string name;
  ElementType type = f32;
  int64_t warps = 4, stages = 3;
  enum How {
    loaded,
    conditional, ///< the variable is assigned in a branch
    copiedOut,   ///< summed in the carried stage, and copied out of it
    swapped,     ///< two variables, of which each becomes the other
    tried,       ///< the next is taken when it is there, or waited for
  } how = loaded;
};

Kernel sumOfTwo(const Window &c) {
  return kernel("window", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N}), D = output("D", c.type, {M, N});
    TileLoop strips = persistent({N}, {columns});
    Pipeline ring = pipeline(c.stages, smem(c.type, {rows, columns}));
    loadStrips(ring, strips, X, M);
    role("sum", warps(c.warps), [&] {
      for (auto [n] : strips) {
        const Index last = ceil_div(M, rows) - 1;
        Stage k = ring.wait();
        auto put = [&](const Index &m, const Fragment &sum) {
          if (c.how == Window::copiedOut) {
            store(k[0], sum);
            copy(k[0], D.tile({m, n}));
          } else {
            store(D.tile({m, n}), sum);
          }
        };
        if (c.how == Window::swapped) {
          // By twos, with what is left over at the end.
          for (Index m : range(last / 2)) {
            Stage next = ring.wait();
            put(2 * m, load(k[0]) + 2 * load(next[0]));
            ring.release(k);
            Stage third = ring.wait();
            put(2 * m + 1, load(next[0]) + 2 * load(third[0]));
            ring.release(next);
            next = third;
            k = next;
          }
          when(last % 2 == 1, [&] {
            Stage next = ring.wait();
            put(last - 1, load(k[0]) + 2 * load(next[0]));
            ring.release(k);
            k = next;
          });
        } else if (c.how == Window::conditional) {
          for (Index m : range(ceil_div(M, rows)))
            when(m < last, [&] {
              Stage next = ring.wait();
              put(m, load(k[0]) + 2 * load(next[0]));
              ring.release(k);
              k = next;
            });
        } else {
          for (Index m : range(last)) {
            auto take = [&](const Stage &next) {
              put(m, load(k[0]) + 2 * load(next[0]));
              ring.release(k);
              k = next;
            };
            if (c.how == Window::tried)
              when(
                  ring.try_wait(), [&](const Stage &next) { take(next); },
                  [&] { take(ring.wait()); });
            else
              take(ring.wait());
          }
        }
        put(last, load(k[0]) + load(k[0]) - load(k[0]));
        ring.release(k);
      }
    });
  });
}

Feature feature(const Window &c) {
  return {c.name,
          [c] { return sumOfTwo(c); },
          {{{"M", 64}, {"N", 64}},
           {{"M", 200}, {"N", 136}},
           {{"M", 640}, {"N", 72}}},
          [](const Problem &p, Coordinate at) {
            return p["X"](at[0], at[1]) + 2 * orZero(p, at[0] + rows, at[1]);
          },
          c.type == f32 ? 1e-6 : 5e-3};
}

/// A window of three stages, which three variables hold.
Feature ofThree() {
  return {"a window of three stages",
          [] {
            return kernel("three", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), D = output("D", f32, {M, N});
              TileLoop strips = persistent({N}, {columns});
              Pipeline ring = pipeline(4, smem(f32, {rows, columns}));
              role("load", warps(1), [&] {
                for (auto [n] : strips)
                  for (Index m : range(ceil_div(M, rows) + 2)) {
                    Stage s = ring.acquire();
                    copy(X.tile({m, n}), s[0]); // zeros behind the last row
                    ring.commit(s);
                  }
              });
              role("sum", warps(4), [&] {
                for (auto [n] : strips) {
                  Stage a = ring.wait(), b = ring.wait();
                  for (Index m : range(ceil_div(M, rows))) {
                    Stage c = ring.wait();
                    store(D.tile({m, n}),
                          load(a[0]) + 2 * load(b[0]) + 3 * load(c[0]));
                    ring.release(a);
                    a = b;
                    b = c;
                  }
                  ring.release(a);
                  ring.release(b);
                }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 500}, {"N", 136}}},
          [](const Problem &p, Coordinate at) {
            return orZero(p, at[0], at[1]) +
                   2 * orZero(p, at[0] + rows, at[1]) +
                   3 * orZero(p, at[0] + 2 * rows, at[1]);
          },
          1e-6};
}

/// Each block of K is multiplied with its own of B and with the one before, so
/// that a carried stage is read by wgmma when the next is waited for:
/// D = A · (B + B shifted by a block)ᵀ.
Feature product(int64_t stages, bool ofTiles, bool inPingPong = false) {
  return {
      "products with a carried stage of " + std::to_string(stages) +
          (ofTiles ? ", carried from tile to tile" : "") +
          (inPingPong ? " in ping pong" : ""),
      [=] {
        return kernel("product", [=] {
          constexpr int64_t bk = 64;
          Size M = size("M"), N = size("N"), K = size("K");
          Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {N, K});
          Tensor D = output("D", f32, {M, N});
          TileLoop tiles = persistent({M, N}, {64, 64});
          Pipeline ring =
              pipeline(stages, smem(bf16, {64, bk}), smem(bf16, {64, bk}));
          auto fill = [&](Index m, Index n, Index k) {
            Stage s = ring.acquire();
            copy(A.tile({m, k}), s[0]);
            copy(B.tile({n, k}), s[1]);
            ring.commit(s);
          };
          role("load", warps(1), [&] {
            if (ofTiles)
              fill(0, 0, -1); // zeros
            for (auto [m, n] : tiles) {
              if (!ofTiles)
                fill(m, n, -1);
              for (Index k : range(ceil_div(K, bk)))
                fill(m, n, k);
              if (ofTiles)
                fill(m, n, -1);
            }
          });
          auto multiply = [&](Stage &before, Fragment &sum) {
            for (Index k : range(ceil_div(K, bk))) {
              Stage s = ring.wait();
              sum = mma(s[0], s[1].T(), sum);
              sum = mma(s[0], before[1].T(), sum);
              ring.release(before);
              before = s;
            }
          };
          role("math", inPingPong ? ping_pong(2) : warpgroups(1), [&] {
            if (ofTiles) {
              Stage before = ring.wait();
              for (auto [m, n] : tiles) {
                Fragment sum = zeros(f32, {64, 64});
                multiply(before, sum);
                ring.release(before);
                before = ring.wait();
                store(D.tile({m, n}), sum);
              }
              ring.release(before);
            } else {
              for (auto [m, n] : tiles) {
                Fragment sum = zeros(f32, {64, 64});
                Stage before = ring.wait();
                multiply(before, sum);
                ring.release(before);
                store(D.tile({m, n}), sum);
              }
            }
          });
        });
      },
      {{{"M", 64}, {"N", 64}, {"K", 64}}, {{"M", 200}, {"N", 136}, {"K", 336}}},
      [](const Problem &p, Coordinate at) {
        double sum = 0;
        for (int64_t k = 0; k < p.size("K"); ++k)
          sum += p["A"](at[0], k) *
                 (p["B"](at[1], k) + (k < 64 ? 0 : p["B"](at[1], k - 64)));
        return sum;
      },
      1e-5};
}

/// Variables of two pipelines, of which one is assigned in every other
/// iteration: D is X and the last even row block of Y, 64 columns at a time.
Feature ofTwoPipelines() {
  return {"variables of two pipelines",
          [] {
            return kernel("two", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}), Y = input("Y", f32, {M, N});
              Tensor D = output("D", f32, {M, N});
              TileLoop strips = persistent({N}, {columns});
              Pipeline xs = pipeline(3, smem(f32, {rows, columns}));
              Pipeline ys = pipeline(2, smem(f32, {rows, columns}));
              role("load", warps(1), [&] {
                for (auto [n] : strips)
                  for (Index m : range(ceil_div(M, rows))) {
                    Stage x = xs.acquire();
                    copy(X.tile({m, n}), x[0]);
                    xs.commit(x);
                    when(m % 2 == 0, [&] {
                      Stage y = ys.acquire();
                      copy(Y.tile({m, n}), y[0]);
                      ys.commit(y);
                    });
                  }
              });
              role("sum", warps(4), [&] {
                for (auto [n] : strips) {
                  Stage x = xs.wait(), y = ys.wait();
                  store(D.tile({0, n}), load(x[0]) + load(y[0]));
                  for (Index m : range(1, ceil_div(M, rows))) {
                    xs.release(x);
                    x = xs.wait();
                    when(m % 2 == 0, [&] {
                      ys.release(y);
                      y = ys.wait();
                    });
                    store(D.tile({m, n}), load(x[0]) + load(y[0]));
                  }
                  xs.release(x);
                  ys.release(y);
                }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 500}, {"N", 136}}},
          [](const Problem &p, Coordinate at) {
            const int64_t row = at[0] / (2 * rows) * 2 * rows + at[0] % rows;
            return p["X"](at[0], at[1]) +
                   (row < p.size("M") ? p["Y"](row, at[1]) : 0);
          },
          1e-6};
}

/// A stage is copied out when it has come, and in the next iteration, when it
/// is the variable's, rewritten and copied out again: D is X and, beside it,
/// twice X.
Feature copiedOutTwice(int64_t count) {
  return {"a carried stage that is copied out under both names by " +
              std::to_string(count) + " warps",
          [=] {
            return kernel("twice", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, columns});
              Tensor D = output("D", f32, {M, 2 * columns});
              TileLoop once = persistent({N}, {1});
              Pipeline ring = pipeline(3, smem(f32, {rows, columns}));
              role("load", warps(1), [&] {
                for (auto [n] : once)
                  for (Index m : range(ceil_div(M, rows))) {
                    Stage s = ring.acquire();
                    copy(X.tile({m, 0}), s[0]);
                    ring.commit(s);
                  }
              });
              role("twice", warps(count), [&] {
                for (auto [n] : once) {
                  const Index last = ceil_div(M, rows) - 1;
                  Stage k = ring.wait();
                  store(D.at({0, 0}), load(k[0]));
                  for (Index m : range(last)) {
                    Fragment x = load(k[0]);
                    store(k[0], x + x);
                    copy(k[0], D.at({m * rows, columns}));
                    ring.release(k);
                    Stage next = ring.wait();
                    copy(next[0], D.at({(m + 1) * rows, 0}));
                    k = next;
                  }
                  store(D.at({last * rows, columns}), 2 * load(k[0]));
                  ring.release(k);
                }
              });
            });
          },
          {{{"M", 64}, {"N", 1}}, {{"M", 500}, {"N", 1}}},
          [](const Problem &p, Coordinate at) {
            return (at[1] < columns ? 1 : 2) * p["X"](at[0], at[1] % columns);
          },
          1e-6};
}

/// The producer fills half of a stage, and the rest when it has the next.
Feature filledLate(int64_t alignment) {
  return {"a stage that is carried while it is filled" +
              std::string(alignment < 16 ? " by cp.async" : ""),
          [=] {
            return kernel("late", [=] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N}, align(alignment));
              Tensor D = output("D", f32, {M, N});
              TileLoop strips = persistent({N}, {columns});
              Pipeline ring = pipeline(3, smem(f32, {rows, columns}));
              role("load", warps(2), [&] {
                for (auto [n] : strips) {
                  auto half = [&](const Stage &s, Index m, int64_t part) {
                    copy(X.at({m * rows + part * 32, n * columns}),
                         slice(s[0], {part * 32, 0}, {32, columns}));
                  };
                  Stage open = ring.acquire();
                  half(open, 0, 0);
                  for (Index m : range(1, ceil_div(M, rows))) {
                    Stage next = ring.acquire();
                    half(next, m, 0);
                    half(open, m - 1, 1);
                    ring.commit(open);
                    open = next;
                  }
                  half(open, ceil_div(M, rows) - 1, 1);
                  ring.commit(open);
                }
              });
              role("store", warps(4), [&] {
                for (auto [n] : strips)
                  for (Index m : range(ceil_div(M, rows))) {
                    Stage s = ring.wait();
                    store(D.tile({m, n}), load(s[0]));
                    ring.release(s);
                  }
              });
            });
          },
          {{{"M", 64}, {"N", 64}}, {{"M", 500}, {"N", 136}}},
          [](const Problem &p, Coordinate at) { return p["X"](at[0], at[1]); },
          0};
}

/// Of each strip the row whose first element is the largest: its stage is kept
/// while others pass, which the ring has to have as many of.
Feature kept() {
  return {
      "a stage that is kept by a condition",
      [] {
        return kernel("kept", [] {
          Size M = size("M"), N = size("N");
          Tensor X = input("X", f32, {M, N}), D = output("D", f32, {1, N});
          Pipeline ring = pipeline(9, smem(f32, {1, 128}));
          TileLoop strips = persistent({N}, {128});
          role("load", warps(1), [&] {
            for (auto [n] : strips)
              for (Index m : range(M)) {
                Stage s = ring.acquire();
                copy(X.at({m, n * 128}), s[0]);
                ring.commit(s);
              }
          });
          role("find", warps(4), [&] {
            for (auto [n] : strips) {
              Stage best = ring.wait();
              for (Index m : range(1, M)) {
                Stage next = ring.wait();
                when(
                    load_scalar(next[0], {0, 0}) > load_scalar(best[0], {0, 0}),
                    [&] {
                      ring.release(best);
                      best = next;
                    },
                    [&] { ring.release(next); });
              }
              store(D.at({0, n * 128}), load(best[0]));
              ring.release(best);
            }
          });
        });
      },
      {{{"M", 1}, {"N", 128}}, {{"M", 9}, {"N", 520}}},
      [](const Problem &p, Coordinate at) {
        int64_t best = 0;
        for (int64_t m = 1; m < p.size("M"); ++m)
          if (p["X"](m, at[1] / 128 * 128) > p["X"](best, at[1] / 128 * 128))
            best = m;
        return p["X"](best, at[1]);
      },
      0};
}

std::vector<Feature> features() {
  using enum Window::How;
  std::vector<Feature> all;
  for (const Window &c : std::initializer_list<Window>{
           {.name = "a carried stage"},
           {.name = "a carried stage of bf16", .type = bf16},
           {.name = "a carried stage read by one warp",
            .type = bf16,
            .warps = 1},
           {.name = "a carried stage of two", .stages = 2},
           {.name = "a carried stage assigned in a branch", .how = conditional},
           {.name = "a carried stage rewritten and copied out",
            .how = copiedOut},
           {.name = "a carried stage of bf16 rewritten and copied out",
            .type = bf16,
            .warps = 8,
            .stages = 2,
            .how = copiedOut},
           {.name = "stages in two variables", .how = swapped},
           {.name = "a carried stage that is tried for", .how = tried},
       })
    all.push_back(feature(c));
  all.push_back(ofThree());
  for (int64_t stages : {2, 3, 4})
    all.push_back(product(stages, false));
  all.push_back(product(3, true));
  all.push_back(product(4, false, true));
  all.push_back(ofTwoPipelines());
  for (int64_t count : {2, 4})
    all.push_back(copiedOutTwice(count));
  all.push_back(filledLate(16));
  all.push_back(filledLate(8));
  all.push_back(kept());
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
