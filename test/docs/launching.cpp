#include "ashlar/ashlar.h"
#include "ashlar/error.h"
#include "ashlar/module.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

using namespace ashlar;

static Kernel scale() {
  return kernel("scale", [] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", f32, {M, N}, align(4));
    Tensor D = output("D", f32, {M, N}, align(4));
    Scalar alpha = scalar("alpha", f32);
    TileLoop tiles = persistent({M, N}, {32, 64});
    role("all", warps(4), [&] {
      for (auto [m, n] : tiles)
        store(D.tile({m, n}), alpha * load(X.tile({m, n}), {32, 64}));
    });
  });
}

static void run() {
  Device device = Device::open();
  CompileOptions options;
  options.assemble = false; // by the driver: the simulator's takes PTX alone
  Module module(device, compile(scale(), options).artifact);

  // Rows of 101 elements, 128 apart.
  const int64_t rows = 50, columns = 101, pitch = 128;
  std::vector<float> x(rows * pitch, NAN), d(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      x[row * pitch + column] = float(row + column);
  Buffer X(device, int64_t(4 * x.size())), Y(device, int64_t(4 * d.size())),
      D(device, int64_t(4 * d.size()));
  X.copy_from_host(std::as_bytes(std::span(x)));

  // What is queued on a stream runs in order; a launch waits for nothing.
  Stream stream(device);
  const TensorArgument part{X.data(), f32, {rows, columns}, {pitch, 1}},
      between{Y.data(), f32, {rows, columns}},
      result{D.data(), f32, {rows, columns}};
  Event start(device), end(device);
  start.record(stream);
  module.launch({{"X", part}, {"alpha", 0.5f}, {"D", between}}, stream);
  module.launch({{"X", between}, {"alpha", 8.0f}, {"D", result}}, stream);
  end.record(stream);
  stream.synchronize();
  std::printf("both launches: %.3f ms\n", end.milliseconds_since(start));

  D.copy_to_host(std::as_writable_bytes(std::span(d)));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (d[row * columns + column] != 4 * float(row + column))
        throw Error("D is wrong");
}

int main() {
  try {
    run();
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
