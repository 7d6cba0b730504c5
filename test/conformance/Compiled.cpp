// Kernels in CUDA C++ (compiled/*.cu), as another compiler translates them.
//
// How the PTX is made again, with CUDA 13.0, in a folder whose name may stand
// in the text:
//   mkdir /tmp/ashlar-compiled
//   cp compiled/*.cu /tmp/ashlar-compiled && cd /tmp/ashlar-compiled
//   for f in *.cu; do
//     nvcc -ptx -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17 $f; done
//   nvcc -ptx -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17 -G
//     Control.cu -o ControlDebug.ptx
#include "test/conformance/Case.h"

#include <bit>
#include <cstring>
#include <map>
#include <random>

namespace ashlar::conformance {

namespace {

const std::map<std::string, const char *> texts = {
#include "CompiledTexts.inc"
};

template <class T> Buffer input(const std::vector<T> &values) {
  Buffer buffer;
  buffer.bytes.resize(values.size() * sizeof(T));
  std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
  return buffer;
}

/// `count` integers from `least` on, each equally likely.
template <class T>
Buffer randomIntegers(size_t count, int64_t least, uint64_t howMany,
                      unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(least +
                           static_cast<int64_t>(uint64_t(random()) % howMany));
  return input(values);
}

template <class T>
Buffer output(const std::string &element, size_t count, T initial = {}) {
  Buffer buffer = input(std::vector<T>(count, initial));
  buffer.isOutput = true;
  buffer.element = element;
  return buffer;
}

Buffer closeOutput(const std::string &element, size_t count, double absolute,
                   double relative) {
  Buffer buffer = element == "f64" ? output<double>(element, count)
                                   : output<float>(element, count);
  buffer.compare = Compare::close;
  buffer.absolute = absolute;
  buffer.relative = relative;
  return buffer;
}

Case compiled(const std::string &name, unsigned grid, unsigned block,
              std::vector<Buffer> buffers) {
  Case result;
  result.family = "compiled";
  result.name = "compiled." + name;
  result.ptx = texts.at(name);
  result.grid = grid;
  result.block = block;
  result.buffers = std::move(buffers);
  return result;
}

/// Rows of small integers as bf16. Behind each are numbers that would show in
/// the result.
Buffer matrix(size_t rows, size_t columns, size_t pitch, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<uint16_t> values;
  for (size_t i = 0; i < rows * pitch; ++i) {
    const int value =
        i % pitch < columns ? static_cast<int>(random() % 9) - 4 : 1024;
    values.push_back(static_cast<uint16_t>(
        std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16));
  }
  return input(values);
}

Case gemm() {
  constexpr int m = 200, n = 150, k = 200, pitch = 208;
  Case result = compiled("Gemm", 2 * 3, 384,
                         {matrix(m, k, pitch, 1), matrix(n, k, pitch, 2),
                          input(std::vector<int32_t>{m, n, k}),
                          output<float>("f32", m * n)});
  constexpr unsigned stageBytes = (128 + 64) * 64 * 2;
  result.sharedBytes = 3 * stageBytes + 1024;
  auto map = [&](unsigned buffer, uint64_t rows, uint32_t boxRows) {
    TensorMap made;
    made.buffer = buffer;
    made.element = "bf16";
    made.extents = {k, rows};
    made.strideBytes = {pitch * 2};
    made.box = {64, boxRows};
    made.swizzleBytes = 128;
    result.tensorMaps.push_back(made);
  };
  map(0, m, 128);
  map(1, n, 64);
  return result;
}

Case reduce() {
  constexpr unsigned grid = 3, block = 160, threads = grid * block;
  return compiled(
      "Reduce", grid, block,
      {randomIntegers<int32_t>(threads, INT32_MIN, uint64_t(1) << 32, 3),
       output<int64_t>("s64", grid * 4),
       output<int32_t>("s32", threads / 32 * 8),
       output<double>("f64", grid * 3), output<uint32_t>("u32", threads)});
}

Case print() {
  constexpr unsigned threads = 2 * 40;
  return compiled("Print", 2, 40,
                  {randomIntegers<int32_t>(threads, -20, 100, 4),
                   output<int32_t>("s32", threads * 8)});
}

Case control(const std::string &name) {
  constexpr unsigned threads = 2 * 96;
  return compiled(name, 2, 96,
                  {randomIntegers<int32_t>(threads, 0, 1 << 20, 5),
                   output<int32_t>("s32", threads * 6)});
}

Case histogram() {
  constexpr unsigned count = 3000;
  return compiled("Histogram", 4, 128,
                  {randomIntegers<uint8_t>(count, 0, 256, 6),
                   input(std::vector<int32_t>{count}),
                   output<uint32_t>("u32", 256 + 16), output<float>("f32", 8),
                   output<double>("f64", 2), output<int64_t>("s64", 3),
                   output<uint32_t>("u32", 7, 0xff00)});
}

Case softmax() {
  constexpr unsigned rows = 2 * 3, lanes = rows * 32, columns = 96;
  std::mt19937 random(7);
  std::vector<float> values(size_t(rows) * columns);
  for (float &value : values)
    value = (static_cast<float>(random() % 4096) - 2000) / 512;
  // The approximations of ex2, lg2, sqrt and rsqrt are off by some units in the
  // last place, and functions built on them by some more.
  return compiled("Softmax", 2, 96,
                  {input(values), closeOutput("f32", values.size(), 0, 4e-6),
                   closeOutput("f32", values.size(), 0, 4e-6),
                   closeOutput("f64", lanes, 0, 2e-15),
                   output<double>("f64", lanes),
                   output<uint16_t>("f16", size_t(lanes) * 6),
                   output<uint16_t>("bf16", size_t(lanes) * 4),
                   closeOutput("f32", size_t(lanes) * 8, 1e-6, 1e-5)});
}

Case cluster() {
  constexpr unsigned grid = 12, block = 128;
  Case result = compiled(
      "Cluster", grid, block,
      {randomIntegers<int32_t>(grid * block, -5000, 10000, 8),
       output<int64_t>("s64", grid), output<uint32_t>("u32", 1),
       output<int64_t>("s64", 1), output<int32_t>("s32", grid * block)});
  result.cluster = 4;
  return result;
}

Case copyTable() {
  constexpr unsigned grid = 3, block = 64, rows = 5;
  return compiled(
      "CopyTable", grid, block,
      {randomIntegers<int32_t>(size_t(grid) * rows * block * 4, -3000, 6000, 9),
       input(std::vector<int32_t>{rows}),
       output<int32_t>("s32", size_t(grid) * block * 8),
       output<double>("f64", size_t(grid) * block)});
}

} // namespace

std::vector<Case> compiledCases() {
  return {gemm(),      reduce(),  print(),   control("Control"),
          histogram(), softmax(), cluster(), control("ControlDebug"),
          copyTable()};
}

} // namespace ashlar::conformance
