#include "bench/GemmOperands.h"

#include "bench/NormalData.h"
#include "bench/Parallel.h"
#include "tool/Elements.h"
#include "tool/Sample.h"

#include <cmath>
#include <cstring>

namespace ashlar::bench {

namespace {

constexpr int64_t sampleCount = 300;

double element(const std::vector<std::byte> &bytes, ElementType type,
               int64_t at) {
  uint32_t bits = 0;
  const int64_t size = size_bytes(type);
  std::memcpy(&bits, bytes.data() + at * size, size);
  return harness::decode(type, bits);
}

} // namespace

GemmOperands::GemmOperands(Device &device, const GemmTypes &types,
                           const GemmSizes &sizes)
    : device(device), types(types), extents(sizes),
      hostA(normalData(types.a, sizes.m * sizes.k, 1)),
      hostB(normalData(types.b, sizes.n * sizes.k, 2)),
      a(device, static_cast<int64_t>(hostA.size())),
      b(device, static_cast<int64_t>(hostB.size())),
      d(device, size_bytes(types.d) * sizes.m * sizes.n),
      workspace(device, workspaceBytes) {
  a.copy_from_host(hostA);
  b.copy_from_host(hostB);
}

std::vector<int64_t> GemmOperands::stored(int64_t rows, int64_t columns,
                                          bool isTransposed) {
  return isTransposed ? std::vector{columns, rows} : std::vector{rows, columns};
}

std::vector<NamedArgument> GemmOperands::arguments(const GemmConfig &config) {
  const int64_t m = extents.m, n = extents.n, k = extents.k;
  const GemmLayout &layout = types.layout;
  std::vector<NamedArgument> all{
      {"A",
       TensorArgument{a.data(), types.a, stored(m, k, layout.a_m_major), {}}},
      {"B",
       TensorArgument{b.data(), types.b, stored(n, k, layout.b_n_major), {}}},
      {"D",
       TensorArgument{d.data(), types.d, stored(m, n, layout.d_m_major), {}}}};
  for (const GemmWorkspace &tensor :
       gemm_workspace(extents, types, config, {}, device.sm_count()))
    all.push_back({tensor.name, TensorArgument{kernelWorkspace(tensor).data(),
                                               tensor.type,
                                               tensor.shape,
                                               {}}});
  return all;
}

Buffer &GemmOperands::kernelWorkspace(const GemmWorkspace &tensor) {
  int64_t bytes = size_bytes(tensor.type);
  for (int64_t extent : tensor.shape)
    bytes *= extent;
  auto [at, isNew] = kernelWorkspaces.try_emplace(
      std::string(tensor.name) + std::to_string(bytes), device, bytes);
  if (isNew)
    at->second.fill(std::byte(0));
  return at->second;
}

GemmPointers GemmOperands::pointers() const {
  return {a.data(), b.data(), d.data(), workspace.data()};
}

std::vector<float> GemmOperands::resultOf(Timer &timer,
                                          const Contender &contender) {
  constexpr int64_t grain = 1 << 18;
  d.fill(std::byte(0xff));
  timer.once(contender);
  const int64_t count = extents.m * extents.n;
  std::vector<std::byte> bytes(count * size_bytes(types.d));
  d.copy_to_host(bytes);
  std::vector<float> values(count);
  inParallel(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      values[i] = static_cast<float>(element(bytes, types.d, i));
  });
  return values;
}

double GemmOperands::truth(int64_t row, int64_t column) const {
  const int64_t m = extents.m, n = extents.n, depth = extents.k;
  const GemmLayout &layout = types.layout;
  double sum = 0;
  for (int64_t k = 0; k < depth; ++k)
    sum += element(hostA, types.a,
                   layout.a_m_major ? k * m + row : row * depth + k) *
           element(hostB, types.b,
                   layout.b_n_major ? k * n + column : column * depth + k);
  return sum;
}

Difference GemmOperands::fromTruth(const std::vector<float> &result) const {
  const bool isTransposed = types.layout.d_m_major;
  const std::vector<int64_t> shape = stored(extents.m, extents.n, isTransposed);
  const std::vector<int64_t> numbers = harness::sample(shape, sampleCount);
  std::vector<double> truths(numbers.size());
  inParallel(
      static_cast<int64_t>(numbers.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t row = numbers[i] / shape[1],
                        column = numbers[i] % shape[1];
          truths[i] = isTransposed ? truth(column, row) : truth(row, column);
        }
      });
  // Of two normal factors each product has a mean square of 1.
  const double scale = std::sqrt(static_cast<double>(extents.k));
  DifferenceSums sums;
  for (size_t i = 0; i < numbers.size(); ++i)
    sums.add(result[numbers[i]], truths[i], scale);
  return sums.difference();
}

} // namespace ashlar::bench
