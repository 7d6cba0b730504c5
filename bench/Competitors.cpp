#include "bench/Competitors.h"

#include <span>

namespace ashlar::bench {

namespace {

constexpr int heuristicCount = 8;

Buffer one(Device &device) {
  Buffer buffer(device, sizeof(float));
  const float value[] = {1};
  buffer.copy_from_host(std::as_bytes(std::span(value)));
  return buffer;
}

} // namespace

Competitors::Competitors(Device &device, const GemmTypes &types)
    : scale(one(device)), cublasLt(types, scale.data()) {
  if ((size_bytes(types.a) == 2 || types.a == f32) && !types.layout.d_m_major)
    cublas.emplace(types);
}

std::vector<Contender> Competitors::of(const GemmOperands &operands) {
  const GemmSizes sizes = operands.sizes();
  const GemmPointers pointers = operands.pointers();
  std::vector<Contender> contenders;
  for (const auto &algorithm : cublasLt.heuristics(sizes, heuristicCount))
    contenders.push_back({"cuBLASLt " + std::to_string(contenders.size() + 1),
                          [this, algorithm, sizes, pointers](Stream &stream) {
                            cublasLt.run(algorithm, sizes, pointers,
                                         stream.handle());
                          }});
  if (cublas)
    contenders.push_back({"cuBLAS", [this, sizes, pointers](Stream &stream) {
                            cublas->run(sizes, pointers, stream.handle());
                          }});
  return contenders;
}

} // namespace ashlar::bench
