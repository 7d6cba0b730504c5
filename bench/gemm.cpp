// GEMM against cuBLASLt in one run on one GPU: random normal data, results
// compared, cold and hot. Each row is the best of our configurations over the
// best of cuBLASLt's first eight heuristics.

#include "test/gpu/Gemm.h"
#include "ashlar/compile.h"
#include "ashlar/module.h"
#include "bench/CublasLt.h"
#include "bench/Timer.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace ashlar;
using namespace ashlar::bench;

namespace {

using Sizes = std::array<int64_t, 3>;

const std::vector<Sizes> table{{512, 512, 512},     {1024, 1024, 1024},
                               {2048, 2048, 2048},  {4096, 4096, 4096},
                               {8192, 8192, 8192},  {4096, 14336, 4096},
                               {4096, 4096, 14336}, {4096, 6144, 4096}};

std::vector<test::GemmSpec> configurations() {
  auto with = [](auto change) {
    test::GemmSpec spec;
    change(spec);
    return spec;
  };
  return {
      with([](test::GemmSpec &) {}),
      with([](test::GemmSpec &s) { s.clusterM = 2; }),
      with([](test::GemmSpec &s) { s.clusterN = 2; }),
      with([](test::GemmSpec &s) { s.bm = 256, s.bn = 128; }),
      with([](test::GemmSpec &s) { s.bm = 256, s.bn = 128, s.clusterN = 2; }),
      with([](test::GemmSpec &s) { s.bn = 128, s.stages = 6; }),
      with([](test::GemmSpec &s) {
        s.clusterM = 2, s.stagedStore = true, s.stages = 3;
      }),
  };
}

uint16_t toBf16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

float fromBf16(uint16_t half) {
  uint32_t bits = uint32_t(half) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

/// Normal numbers, drawn from a pool in an order without a period that matters.
std::vector<uint16_t> normal(int64_t count, uint64_t seed) {
  static const std::vector<uint16_t> pool = [] {
    std::mt19937_64 random(5);
    std::normal_distribution<float> distribution;
    std::vector<uint16_t> values(1 << 20);
    for (uint16_t &value : values)
      value = toBf16(distribution(random));
    return values;
  }();
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = pool[seed >> 44];
  }
  return values;
}

template <typename T> std::span<const std::byte> bytesOf(const T &vector) {
  return std::as_bytes(std::span(vector));
}

struct Matrices {
  Matrices(Device &device, const Sizes &sizes)
      : sizes(sizes), a(device, 2 * sizes[0] * sizes[2]),
        b(device, 2 * sizes[1] * sizes[2]), d(device, 2 * sizes[0] * sizes[1]),
        workspace(device, 64 << 20) {
    a.copy_from_host(bytesOf(normal(sizes[0] * sizes[2], 1)));
    b.copy_from_host(bytesOf(normal(sizes[1] * sizes[2], 2)));
  }

  std::vector<NamedArgument> arguments() const {
    auto [m, n, k] = sizes;
    return {{"A", TensorArgument{a.data(), bf16, {m, k}, {}}},
            {"B", TensorArgument{b.data(), bf16, {n, k}, {}}},
            {"D", TensorArgument{d.data(), bf16, {m, n}, {}}}};
  }

  std::vector<uint16_t> result(const std::function<void()> &launch) {
    d.fill(std::byte(0xff));
    launch();
    std::vector<uint16_t> values(sizes[0] * sizes[1]);
    d.copy_to_host(std::as_writable_bytes(std::span(values)));
    return values;
  }

  Sizes sizes;
  Buffer a, b, d, workspace;
};

double difference(const std::vector<uint16_t> &x,
                  const std::vector<uint16_t> &y) {
  double off = 0, norm = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double reference = fromBf16(y[i]), error = fromBf16(x[i]) - reference;
    off += error * error;
    norm += reference * reference;
  }
  return std::sqrt(off / norm);
}

struct Contender {
  std::string name;
  Timer::Launch launch;
  double hot = 0;
};

Contender &fastest(std::vector<Contender> &contenders, Timer &timer) {
  for (Contender &contender : contenders)
    contender.hot = timer.hot(contender.launch);
  return *std::min_element(
      contenders.begin(), contenders.end(),
      [](const Contender &x, const Contender &y) { return x.hot < y.hot; });
}

void row(Device &device, Timer &timer, CublasLt &cublas,
         std::vector<std::unique_ptr<Module>> &modules,
         const std::vector<test::GemmSpec> &specs, const Sizes &sizes,
         bool verbose) {
  auto [m, n, k] = sizes;
  Matrices matrices(device, sizes);
  auto arguments = matrices.arguments();
  std::vector<Contender> ours, theirs;
  for (size_t i = 0; i < modules.size(); ++i)
    ours.push_back({specs[i].str(), [&, i](Stream &stream) {
                      modules[i]->launch(arguments, stream);
                    }});
  for (const auto &algorithm : cublas.heuristics(m, n, k, 8))
    theirs.push_back({"cuBLASLt", [&, algorithm](Stream &stream) {
                        cublas.run(algorithm, matrices.sizes[0],
                                   matrices.sizes[1], matrices.sizes[2],
                                   matrices.a.data(), matrices.b.data(),
                                   matrices.d.data(), matrices.workspace.data(),
                                   stream.handle());
                      }});

  Stream stream(device);
  auto run = [&](const Timer::Launch &launch) {
    return matrices.result([&] {
      launch(stream);
      if (!stream.wait_for(std::chrono::seconds(10)))
        throw Error("a launch did not finish in 10 s");
    });
  };
  auto reference = run(theirs.front().launch);
  double worst = 0;
  for (Contender &contender : ours) {
    double off = difference(run(contender.launch), reference);
    worst = std::isfinite(off) ? std::max(worst, off) : INFINITY;
  }

  Contender &best = fastest(ours, timer);
  Contender &peer = fastest(theirs, timer);
  // The two in turn, as clocks drift with power.
  std::vector<double> hotOurs, hotTheirs, coldOurs, coldTheirs;
  for (int round = 0; round < 3; ++round) {
    hotOurs.push_back(timer.hot(best.launch));
    hotTheirs.push_back(timer.hot(peer.launch));
    coldOurs.push_back(timer.cold(best.launch));
    coldTheirs.push_back(timer.cold(peer.launch));
  }
  double work = 2.0 * m * n * k / 1e6;
  auto cell = [&](double mine, double other) {
    std::printf(" %7.1f %7.1f %6.3f", work / mine, work / other, other / mine);
  };
  std::printf("%5ld x %5ld x %5ld ", m, n, k);
  cell(median(coldOurs), median(coldTheirs));
  cell(median(hotOurs), median(hotTheirs));
  std::printf("  %.1e  %s\n", worst, best.name.c_str());
  if (verbose)
    for (const Contender &contender : ours)
      std::printf("    %-48s %7.1f\n", contender.name.c_str(),
                  work / contender.hot);
  std::fflush(stdout);
}

int run(int argc, char **argv) {
  bool verbose = argc > 1 && std::strcmp(argv[1], "--all") == 0;
  if (auto reason = Device::unavailable()) {
    std::printf("no GPU to measure on: %s\n", reason->c_str());
    return 0;
  }
  Device device = Device::open();
  Timer timer(device);
  CublasLt cublas;
  auto specs = configurations();
  std::vector<std::unique_ptr<Module>> modules;
  for (const test::GemmSpec &spec : specs)
    modules.push_back(
        std::make_unique<Module>(device, compile(test::gemm(spec)).artifact));
  std::printf(
      "bf16, D = A·Bᵀ, TFLOP/s: ours, cuBLASLt, ratio; then the largest "
      "relative\ndifference of the results, and the configuration\n"
      "    M       N       K          cold                   hot\n");
  for (const Sizes &sizes : table)
    row(device, timer, cublas, modules, specs, sizes, verbose);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(1);
  }
}
