#include "test/broken/Kernels.h"

#include "ashlar/ashlar.h"
#include "ashlar/gemm.h"

namespace ashlar::broken {
namespace {

constexpr int64_t rows = 64, columns = 32;
const Shape shape{rows, columns};

/// Two roles pass a shared tile to and fro, each waiting for the other.
Kernel syncing() {
  return kernel("syncing", [] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, columns});
    Tensor D = output("D", f32, {M, columns});
    SharedTile between = shared(f32, shape);
    Barrier written = barrier("tile written"), read = barrier("tile read");
    role("write", warps(4), [&] {
      for (Index m : range(ceil_div(M, rows))) {
        Fragment x = load(X.tile({m, 0}), shape);
        store(between, x + x);
        written.sync();
        read.sync();
      }
    });
    role("read", warps(4), [&] {
      for (Index m : range(ceil_div(M, rows))) {
        written.sync();
        Fragment x = load(between);
        read.sync();
        store(D.tile({m, 0}), x);
      }
    });
  });
}

/// Of two shared tiles one is filled while the other is read.
Kernel arriving() {
  return kernel("arriving", [] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, columns});
    Tensor D = output("D", f32, {M, columns});
    SharedTile even = shared(f32, shape), odd = shared(f32, shape);
    Barrier evenFull = barrier("even full"), evenFree = barrier("even free"),
            oddFull = barrier("odd full"), oddFree = barrier("odd free");
    role("write", warps(4), [&] {
      for (Index m : range(ceil_div(M, rows))) {
        evenFree.sync();
        store(even, load(X.tile({m, 0}), shape));
        evenFull.arrive();
        oddFree.sync();
        store(odd, load(X.tile({m, 0}), shape) * 2.0);
        oddFull.arrive();
      }
    });
    role("read", warps(4), [&] {
      for (Index m : range(ceil_div(M, rows))) {
        evenFree.arrive();
        oddFree.arrive();
        evenFull.sync();
        Fragment x = load(even);
        oddFull.sync();
        store(D.tile({m, 0}), x + load(odd));
      }
    });
  });
}

/// Each CTA adds to what the one before has left.
Kernel chain() {
  return kernel("chain", [] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns});
    Tensor D = inout("D", f32, {P, rows, columns});
    Tensor done = inout("Done", s32, {P}, align(4));
    TileLoop parts = persistent({P}, {1});
    role("add", warps(4), [&] {
      for (auto [i] : parts) {
        Fragment x = load(X.at({i, 0, 0}), shape);
        when(i > 0, [&] {
          await(done.at({i - 1}), 1);
          signal(done.at({i - 1}), -1);
          x = x + load(D.at({i - 1, 0, 0}), shape);
        });
        store(D.at({i, 0, 0}), x);
        when(i + 1 < P, [&] { signal(done.at({i})); });
      }
    });
  });
}

/// The last CTA sums up what the others have left.
Kernel gathering() {
  return kernel("gathering", [] {
    Size P = size("P");
    Tensor X = input("X", f32, {P, rows, columns});
    Tensor parts = inout("Parts", f32, {P, rows, columns});
    Tensor D = output("D", f32, {rows, columns});
    Tensor count = inout("Count", s32, {1}, align(4));
    TileLoop all = grid({P}, {1});
    role("add", warps(4), [&] {
      for (auto [i] : all) {
        Fragment x = load(X.at({i, 0, 0}), shape);
        when(
            i + 1 < P,
            [&] {
              store(parts.at({i, 0, 0}), x * 3.0);
              signal(count.at({0}));
            },
            [&] {
              await(count.at({0}), P - 1);
              signal(count.at({0}), 1 - P);
              for (Index other : range(P - 1))
                x = x + load(parts.at({other, 0, 0}), shape);
              store(D.at({0, 0}), x);
            });
      }
    });
  });
}

Kernel streamK() {
  return gemm({bf16, bf16, bf16},
              GemmConfig::parse("128x64x64 s3 w2 c1x1 e32x1 streamk"));
}

} // namespace

const std::vector<MeetingKernel> &meetingKernels() {
  static const std::vector<MeetingKernel> all = {
      {syncing, {{"M", 300}}, {}},
      {arriving, {{"M", 300}}, {}},
      {chain, {{"P", 5}}, {"Done"}},
      {gathering, {{"P", 4}}, {"Count"}},
      {streamK,
       {{"M", 200}, {"N", 100}, {"K", 300}, {"CTAs", 3}},
       {"Partials", "Arrivals"}},
  };
  return all;
}

} // namespace ashlar::broken
