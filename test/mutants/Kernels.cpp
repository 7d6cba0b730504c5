#include "test/mutants/Kernels.h"

#include "ashlar/error.h"

#include <fstream>

namespace ashlar::test {

namespace {

constexpr int64_t bm = 128, bn = 64, bk = 64;

} // namespace

Kernel multicastGemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk}), // [pipeline]
                             smem(bf16, {bn, bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();              // [acquire]
          copy(A.tile({m, k}), s[0]);            // [copy A]
          copy(B.tile({n, k}), s[1], multicast); // [copy B]
          ring.commit(s);                        // [commit]
        }
    });

    role("math", warpgroups(2), registers(232), [&] { // [math]
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();          // [wait]
          acc = mma(s[0], s[1].T(), acc); // [mma]
          ring.release(s);                // [release]
        }
        store(D.tile({m, n}), convert(acc, bf16)); // [store]
      }
    });
  });
}

Kernel stagedGemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));
    SharedTile staging = shared(bf16, {bm, bn}); // [staging]

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]); // [staged copy A]
          copy(B.tile({n, k}), s[1]); // [staged copy B]
          ring.commit(s);             // [staged commit]
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc); // [staged mma]
          ring.release(s);                // [staged release]
        }
        store(staging, convert(acc, bf16)); // [stage]
        copy(staging, D.tile({m, n}));      // [copy out]
      }
    });
  });
}

namespace {

Kernel alignedGemm(int64_t alignment) {
  return kernel("gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}, align(alignment));
    Tensor B = input("B", bf16, {N, K}, align(alignment));
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = grid({M, N}, {64, 32}, Raster::along_m());
    Pipeline ring = pipeline(2, smem(bf16, {64, 32}), smem(bf16, {32, 32}));

    role("load", warps(1), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, 32))) {
          Stage s = ring.acquire();   // [thread acquire]
          copy(A.tile({m, k}), s[0]); // [thread copy A]
          copy(B.tile({n, k}), s[1]); // [thread copy B]
          ring.commit(s);             // [thread commit]
        }
    });

    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {64, 32});
        for (Index k : range(ceil_div(K, 32))) {
          Stage s = ring.wait();          // [thread wait]
          acc = mma(s[0], s[1].T(), acc); // [thread mma]
          ring.release(s);                // [thread release]
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

} // namespace

Kernel asyncCopyGemm() { return alignedGemm(8); }
Kernel threadCopyGemm() { return alignedGemm(2); }

Kernel transposedGemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = persistent({N, M}, {128, 32}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {128, bk}), smem(bf16, {32, bk}));
    SharedTile staging = shared(bf16, {32, 128});

    role("load", warps(1), registers(40), [&] {
      for (auto [n, m] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(B.tile({n, k}), s[0]);
          copy(A.tile({m, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [n, m] : tiles) {
        Fragment acc = zeros(f32, {128, 32});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(staging.T(), convert(acc, bf16)); // [transposed stage]
        copy(staging, D.tile({m, n}));          // [transposed copy out]
      }
    });
  });
}

Kernel reusedStageGemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles) {
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();   // [acquire after reuse]
          copy(A.tile({m, k}), s[0]); // [copy A after reuse]
          copy(B.tile({n, k}), s[1], multicast);
          ring.commit(s);
        }
        ring.commit(ring.acquire());
      }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Stage reused = ring.wait(); // [wait for the reused stage]
        store(reused[0], convert(acc, bf16));
        copy(reused[0], D.tile({m, n})); // [copy out of the ring]
        ring.release(reused);
      }
    });
  });
}

Kernel convertingGemm() {
  return kernel("gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", f32, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = persistent({M, N}, {64, 64}, Raster::grouped(8));
    Pipeline raw = pipeline(2, smem(f32, {64, bk}));
    Pipeline converted = pipeline(2, smem(bf16, {64, bk}));
    Pipeline right = pipeline(2, smem(bf16, {64, bk}));

    role("load", warps(1), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage a = raw.acquire();
          copy(A.tile({m, k}), a[0]); // [copy over what was read]
          raw.commit(a);
          Stage b = right.acquire();
          copy(B.tile({n, k}), b[0]);
          right.commit(b);
        }
    });

    role("convert", warpgroups(1), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage from = raw.wait();
          Fragment a = convert(load(from[0]), bf16);
          raw.release(from);
          Stage to = converted.acquire();
          store(to[0], a);
          converted.commit(to);
        }
    });

    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {64, 64});
        for (Index k : range(ceil_div(K, bk))) {
          Stage a = converted.wait();
          Stage b = right.wait();
          acc = mma(a[0], b[0].T(), acc);
          converted.release(a);
          right.release(b);
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

const std::vector<NamedKernel> &mutantKernels() {
  static const std::vector<NamedKernel> kernels = [] {
    const std::vector<NamedSize> few{{"M", 260}, {"N", 136}, {"K", 328}};
    const std::vector<NamedSize> many{{"M", 260}, {"N", 2888}, {"K", 200}};
    return std::vector<NamedKernel>{
        {"multicast", multicastGemm, product, few, many},
        {"staged", stagedGemm, product, few, many},
        {"cp.async", asyncCopyGemm, product, few, many},
        {"threads", threadCopyGemm, product, few, many},
        {"transposed", transposedGemm, product, few, many},
        {"reused", reusedStageGemm, product, few, many},
        {"converting", convertingGemm, product, few, many},
        {"copied", peerCopyGemm, product, few, many},
        {"attention",
         attention,
         weightedSums,
         {{"H", 2}, {"Sq", 150}, {"Sk", 300}},
         {{"H", 140}, {"Sq", 100}, {"Sk", 200}}},
    };
  }();
  return kernels;
}

const NamedKernel &mutantKernel(const std::string &name) {
  for (const NamedKernel &kernel : mutantKernels())
    if (kernel.name == name)
      return kernel;
  throw Error("there is no kernel '" + name + "'");
}

std::string lineOf(const std::string &mark) {
  for (const std::string name :
       {"Kernels.cpp", "AttentionKernel.cpp", "PeerCopyKernel.cpp"}) {
    std::ifstream file(ASHLAR_SOURCE_DIR "/test/mutants/" + name);
    std::string line;
    for (unsigned number = 1; std::getline(file, line); ++number)
      if (line.ends_with("// [" + mark + "]"))
        return name + ":" + std::to_string(number);
  }
  throw Error("no line of the kernels is marked [" + mark + "]");
}

} // namespace ashlar::test
