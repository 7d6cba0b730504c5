#include "ashlar/ashlar.h"
#include "ashlar/error.h"
#include "ashlar/gemm_auto.h"
#include "ashlar/module.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

using namespace ashlar;

static void run() {
  const GemmSizes sizes{.m = 33, .n = 50, .k = 70};
  GemmTypes types{s8, s8, s32};
  types.layout.b_n_major = true; // B is K×N
  types = aligned_as(sizes, types);
  const GemmConfig config = gemm_auto(sizes, types);

  Device device = Device::open();
  CompileOptions options;
  options.assemble = false; // by the driver: the simulator's takes PTX alone
  Module module(device, compile(gemm(types, config), options).artifact);

  const std::vector<int8_t> a(sizes.m * sizes.k, 2), b(sizes.k * sizes.n, 3);
  std::vector<int32_t> d(sizes.m * sizes.n);
  Buffer A(device, int64_t(a.size())), B(device, int64_t(b.size())),
      D(device, int64_t(4 * d.size()));
  A.copy_from_host(std::as_bytes(std::span(a)));
  B.copy_from_host(std::as_bytes(std::span(b)));
  std::vector<NamedArgument> arguments = {
      {"A", TensorArgument{A.data(), s8, {sizes.m, sizes.k}}},
      {"B", TensorArgument{B.data(), s8, {sizes.k, sizes.n}}},
      {"D", TensorArgument{D.data(), s32, {sizes.m, sizes.n}}}};

  // Empty for most configurations.
  std::vector<Buffer> memory;
  for (const GemmWorkspace &each :
       gemm_workspace(sizes, types, config, {}, device.sm_count())) {
    int64_t bytes = size_bytes(each.type);
    for (int64_t extent : each.shape)
      bytes *= extent;
    memory.emplace_back(device, bytes).fill(std::byte(0));
    arguments.push_back({each.name, TensorArgument{memory.back().data(),
                                                   each.type, each.shape}});
  }
  module.launch_and_wait(arguments, std::chrono::seconds(10));

  D.copy_to_host(std::as_writable_bytes(std::span(d)));
  for (int32_t sum : d)
    if (sum != 2 * 3 * sizes.k)
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
