// What TMA takes for rows of tiles where nothing else is done: those constants
// of GpuModel that times of whole GEMMs do not tell apart (docs/benchmark.md).
// Sums of what came are checked.

#include "ashlar/ashlar.h"
#include "ashlar/error.h"
#include "ashlar/gemm_cost.h"
#include "ashlar/module.h"
#include "bench/Assembled.h"
#include "bench/Timer.h"
#include "tool/Failure.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace ashlar;
using namespace ashlar::bench;

namespace {

constexpr double milliseconds = 20;
constexpr int64_t seenRows = 8;

/// Copies of stages of rows×columns: `tiles` of them next to each other along
/// rows that are `pitch` bytes longer than they are, by CTAs of which `readers`
/// ask for the same, `cluster` of them together.
struct Copies {
  const char *rowsBegin;
  int64_t pitch, ctas, readers = 1, cluster = 1, columns = 64, tiles = 6;
  static constexpr int64_t rows = 256, stages = 6;

  int64_t length() const { return tiles * columns; }
  int64_t stride() const { return length() + pitch / size_bytes(bf16); }
  int64_t allRows() const { return ctas / readers * rows; }
  /// What each CTA of a cluster fetches of a stage.
  int64_t slice() const { return rows / cluster; }
};

/// Each CTA copies the tiles of its rows so many times, and adds up the first
/// rows of each slice of all.
Kernel kernelOf(const Copies &c) {
  return kernel("copies", [&] {
    Size M = size("M"), Readers = size("Readers"), K = size("K"),
         Turns = size("Turns");
    Tensor A = input("A", bf16, {M, K});
    Size Y = size("Y"), X = size("X");
    Tensor Sums = output("Sums", f32, {Y, X});
    cluster({1, c.cluster});
    TileLoop tiles = persistent({M, Readers}, {c.rows, 1});
    Pipeline ring = pipeline(c.stages, smem(bf16, {c.rows, c.columns}));

    role("load", warps(1), [&] {
      for (auto [m, reader] : tiles)
        for (Index turn : range(Turns))
          for (Index k : range(ceil_div(K, c.columns))) {
            Stage s = ring.acquire();
            if (c.cluster > 1)
              copy(A.tile({m, k}), s[0], multicast);
            else
              copy(A.tile({m, k}), s[0]);
            ring.commit(s);
          }
    });

    role("add", warpgroups(1), [&] {
      for (auto [m, reader] : tiles) {
        Fragment sum = zeros(f32, {seenRows, c.columns});
        for (Index step : range(Turns * ceil_div(K, c.columns))) {
          Stage s = ring.wait();
          for (int64_t row = 0; row < c.rows; row += c.slice())
            sum += convert(load(slice(s[0], {row, 0}, {seenRows, c.columns})),
                           f32);
          ring.release(s);
        }
        store(Sums.tile({m, reader}), sum);
      }
    });
  });
}

/// Tiles differ from those around them.
int64_t valueAt(int64_t row, int64_t column) {
  return (row + column * column) % 5;
}

/// A launch of copies, and what it is launched on.
class Launch {
public:
  Launch(Device &device, const Copies &c)
      : c(c),
        module(device, compile(kernelOf(c), assembledIfPossible()).artifact),
        a(device, c.allRows() * c.stride() * size_bytes(bf16)),
        sums(device, c.ctas * seenRows * c.columns * size_bytes(f32)) {
    constexpr uint16_t bits[] = {0, 0x3f80, 0x4000, 0x4040, 0x4080}; // 0 to 4
    std::vector<uint16_t> host(static_cast<size_t>(c.allRows() * c.stride()));
    for (int64_t i = 0; i < c.allRows(); ++i)
      for (int64_t k = 0; k < c.length(); ++k)
        host[static_cast<size_t>(i * c.stride() + k)] = bits[valueAt(i, k)];
    a.copy_from_host(std::as_bytes(std::span(host)));
  }

  Contender contender(int32_t turns) {
    return {"copies", [this, turns](Stream &stream) {
              module.launch(
                  {{"A", TensorArgument{a.data(),
                                        bf16,
                                        {c.allRows(), c.length()},
                                        {c.stride(), 1}}},
                   {"Sums", TensorArgument{sums.data(),
                                           f32,
                                           {c.allRows() / c.rows * seenRows,
                                            c.readers * c.columns}}},
                   {"Readers", static_cast<int32_t>(c.readers)},
                   {"Turns", turns}},
                  stream);
            }};
  }

  /// Throws `Error` where a sum is wrong.
  void check(Timer &timer, int32_t turns) {
    timer.once(contender(turns));
    std::vector<float> found(
        static_cast<size_t>(c.ctas * seenRows * c.columns));
    sums.copy_to_host(std::as_writable_bytes(std::span(found)));
    const int64_t width = c.readers * c.columns;
    for (size_t i = 0; i < found.size(); ++i) {
      const int64_t y = static_cast<int64_t>(i) / width,
                    x = static_cast<int64_t>(i) % width;
      int64_t sum = 0;
      for (int64_t row = y % seenRows; row < c.rows; row += c.slice())
        for (int64_t k = x % c.columns; k < c.length(); k += c.columns)
          sum += valueAt(y / seenRows * c.rows + row, k);
      if (found[i] != static_cast<float>(turns * sum))
        throw Error("the sum in row " + std::to_string(y) + ", column " +
                    std::to_string(x) + " is wrong");
    }
  }

private:
  const Copies c;
  Module module;
  Buffer a, sums;
};

/// By launches of more and of fewer turns: what a launch takes is in both.
void printRow(Device &device, Timer &timer, const Copies &c, double gigahertz) {
  Launch launch(device, c);
  constexpr int32_t few = 10, many = 50;
  launch.check(timer, few);
  const double more = timer.hot(launch.contender(many), milliseconds) -
                      timer.hot(launch.contender(few), milliseconds);
  const double stage =
      more * 1e3 * gigahertz / static_cast<double>((many - few) * c.tiles);
  const double row = stage / static_cast<double>(c.slice());
  const auto bytes = static_cast<double>(c.rows * c.columns * size_bytes(bf16));
  std::printf("%-8s %5lld %6lld %8lld %8lld %8.2f %12.4f %14.1f\n", c.rowsBegin,
              static_cast<long long>(c.columns * size_bytes(bf16)),
              static_cast<long long>(c.ctas), static_cast<long long>(c.readers),
              static_cast<long long>(c.cluster), row,
              row / static_cast<double>(c.ctas), bytes / stage);
  std::fflush(stdout);
}

/// Of one launch that reads so much that nothing of it is in L2, beside one
/// that reads a quarter.
void printMemory(Device &device, Timer &timer, int64_t sms) {
  double microseconds[2];
  int64_t bytes[2];
  for (int i : {0, 1}) {
    const Copies c{"lines", 0, sms, 1, 1, 64, i == 0 ? 32 : 128};
    Launch launch(device, c);
    launch.check(timer, 1);
    microseconds[i] = timer.cold(launch.contender(1), milliseconds);
    bytes[i] = c.allRows() * c.length() * size_bytes(bf16);
  }
  std::printf("\nDRAM: %.2f TB/s\n", static_cast<double>(bytes[1] - bytes[0]) /
                                         (microseconds[1] - microseconds[0]) /
                                         1e6);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times copies by TMA alone: what rows take that begin on cache "
               "lines, on sectors or on 16 bytes, and DRAM's rate.");
  CLI11_PARSE(app, argc, argv);
  try {
    Device device = Device::open();
    Timer timer(device);
    const int64_t sms = device.sm_count(), even = sms / 8 * 8;
    const double gigahertz = h200().clock_gigahertz;
    std::printf("clocks of %.3f GHz of a row that a CTA asks for: of its SM, "
                "and over all CTAs;\nbytes that come into an SM in a clock\n\n"
                "%-8s %5s %6s %8s %8s %8s %12s %14s\n",
                gigahertz, "begin on", "bytes", "CTAs", "readers", "cluster",
                "of an SM", "of all", "bytes/clock");
    for (const auto &[name, pitch] :
         {std::pair{"lines", int64_t(0)}, std::pair{"sectors", int64_t(32)},
          std::pair{"16", int64_t(16)}}) {
      for (int64_t ctas : {int64_t(1), int64_t(16), even / 2, sms})
        printRow(device, timer, {name, pitch, ctas}, gigahertz);
      for (int64_t cluster : {1, 2, 4})
        printRow(device, timer, {name, pitch, even / 2, 8, cluster}, gigahertz);
      // Of clusters of four not all would find room at once.
      const int64_t inFours = h200().resident_ctas(4) / 8 * 8;
      for (const auto &[ctas, cluster] :
           {std::pair{even, 1}, std::pair{even, 2}, std::pair{inFours, 1},
            std::pair{inFours, 2}, std::pair{inFours, 4}})
        printRow(device, timer, {name, pitch, ctas, 8, cluster}, gigahertz);
    }
    for (const auto &[name, columns] :
         {std::pair{"64", int64_t(32)}, std::pair{"32", int64_t(16)},
          std::pair{"16", int64_t(8)}})
      for (int64_t ctas : {int64_t(1), sms})
        printRow(device, timer, {name, 0, ctas, 1, 1, columns, 16}, gigahertz);
    printMemory(device, timer, sms);
    return harness::finished(0);
  } catch (...) {
    return harness::reportFailure();
  }
}
