#include "bench/GemmOperands.h"

#include "bench/NormalData.h"
#include "bench/Parallel.h"
#include "tool/Elements.h"
#include "tool/Sample.h"

#include <array>
#include <cmath>
#include <cstring>

namespace ashlar::bench {

namespace {

constexpr int64_t sampleCount = 300;

} // namespace

GemmOperands::GemmOperands(Device &device, const GemmTypes &types,
                           const GemmSizes &sizes)
    : device(device), types(types), extents(sizes),
      hostA(normalData(types.a, sizes.m * sizes.k, 1)),
      hostB(normalData(types.b, sizes.n * sizes.k, 2)),
      a(device, static_cast<int64_t>(hostA.size())),
      b(device, static_cast<int64_t>(hostB.size())),
      d(device, 2 * sizes.m * sizes.n), workspace(device, workspaceBytes) {
  if (types.d != bf16)
    throw Error("the comparison is for results in bf16, not " +
                std::string(name(types.d)));
  a.copy_from_host(hostA);
  b.copy_from_host(hostB);
}

std::vector<NamedArgument> GemmOperands::arguments(const GemmConfig &config) {
  auto [m, n, k, batch] = extents;
  std::vector<NamedArgument> all{
      {"A", TensorArgument{a.data(), types.a, {m, k}, {}}},
      {"B", TensorArgument{b.data(), types.b, {n, k}, {}}},
      {"D", TensorArgument{d.data(), types.d, {m, n}, {}}}};
  for (const GemmWorkspace &tensor : gemm_workspace(config, device.sm_count()))
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
  auto [at, isNew] = kernelWorkspaces.try_emplace(tensor.shape, device, bytes);
  if (isNew)
    at->second.fill(std::byte(0));
  return at->second;
}

GemmPointers GemmOperands::pointers() const {
  return {a.data(), b.data(), d.data(), workspace.data()};
}

std::vector<uint16_t> GemmOperands::resultOf(Timer &timer,
                                             const Contender &contender) {
  d.fill(std::byte(0xff));
  timer.once(contender);
  std::vector<uint16_t> values(extents.m * extents.n);
  d.copy_to_host(std::as_writable_bytes(std::span(values)));
  return values;
}

double GemmOperands::truth(int64_t row, int64_t column) const {
  auto element = [](const std::vector<std::byte> &bytes, ElementType type,
                    int64_t at) {
    uint32_t bits = 0;
    const int64_t size = size_bytes(type);
    std::memcpy(&bits, bytes.data() + at * size, size);
    return harness::decode(type, bits);
  };
  double sum = 0;
  for (int64_t k = 0; k < extents.k; ++k)
    sum += element(hostA, types.a, row * extents.k + k) *
           element(hostB, types.b, column * extents.k + k);
  return sum;
}

Difference GemmOperands::fromTruth(const std::vector<uint16_t> &result) const {
  const std::array<int64_t, 2> shape{extents.m, extents.n};
  const std::vector<int64_t> numbers = harness::sample(shape, sampleCount);
  std::vector<double> truths(numbers.size());
  inParallel(
      static_cast<int64_t>(numbers.size()), 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          truths[i] = truth(numbers[i] / extents.n, numbers[i] % extents.n);
      });
  // Of two normal factors each product has a mean square of 1.
  const double scale = std::sqrt(static_cast<double>(extents.k));
  DifferenceSums sums;
  for (size_t i = 0; i < numbers.size(); ++i)
    sums.add(fromBf16(result[numbers[i]]), truths[i], scale);
  return sums.difference();
}

} // namespace ashlar::bench
