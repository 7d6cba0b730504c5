// How many instructions the simulator executes in a second, with every check
// on (a warp's instruction counts as one), and how many operations of a GEMM.

#include "runtime/sim/Simulator.h"
#include "ashlar/compile.h"
#include "ashlar/gemm.h"
#include "ashlar/module.h"
#include "runtime/sim/driver/SimulatorDriver.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace ashlar::sim;

namespace {

constexpr unsigned rounds = 2000;
constexpr unsigned copies = 32; // of the measured text in a round
constexpr unsigned warps = 8;

struct Loop {
  const char *name;
  const char *text; // instructions, each ended by a semicolon
};

constexpr Loop loops[] = {
    {"integer", "mad.lo.u32 %r3, %r3, %r4, %r5;"},
    {"f32", "fma.rn.f32 %f1, %f1, %f2, %f3;"},
    {"predicates", "setp.lt.u32 %p1, %r3, %r5; selp.b32 %r3, %r4, %r5, %p1;"},
    {"shuffle", "shfl.sync.bfly.b32 %r3, %r3, 1, 31, -1;"},
    {"shared memory", "st.shared.u32 [%r6], %r3; ld.shared.u32 %r3, [%r6];"},
};

std::string kernelOf(const Loop &loop) {
  std::string text = ".version 8.8\n.target sm_90a\n.address_size 64\n"
                     ".visible .entry kernel()\n{\n"
                     ".reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .pred %p<4>;\n"
                     ".shared .align 4 .b32 values[1024];\n"
                     "mov.u32 %r1, 0;\nmov.u32 %r3, %tid.x;\n"
                     "mov.u32 %r4, 3;\nmov.u32 %r5, 7;\nmov.u32 %r6, values;\n"
                     "mad.lo.u32 %r6, %r3, 4, %r6;\nmov.f32 %f1, 0f3F800000;\n"
                     "mov.f32 %f2, 0f3F000000;\nmov.f32 %f3, 0f3F800000;\n"
                     "LOOP:\n";
  for (unsigned i = 0; i < copies; ++i)
    text += std::string(loop.text) + "\n";
  return text + "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, " +
         std::to_string(rounds) + ";\n@%p0 bra LOOP;\nret;\n}\n";
}

/// Small whole numbers, none like its neighbours.
ashlar::Buffer operand(ashlar::Device &device, int64_t elements) {
  constexpr uint16_t values[] = {0x3f80, 0x4000, 0xbf80, 0x4040, 0xc000};
  std::vector<uint16_t> bits(static_cast<size_t>(elements));
  for (size_t i = 0; i < bits.size(); ++i)
    bits[i] = values[(i * i / 3 + i) % std::size(values)];
  ashlar::Buffer buffer(device, elements * int64_t(sizeof(uint16_t)));
  buffer.copy_from_host(std::as_bytes(std::span(bits)));
  return buffer;
}

/// D = A B of bf16 matrices, by the library's kernel.
void measureGemm(int64_t size) {
  ashlar::Device device = ashlar::Device::open(simulatorDriver());
  ashlar::Module module(device, ashlar::compile(ashlar::gemm({}, {})).artifact);
  const ashlar::Buffer a = operand(device, size * size),
                       b = operand(device, size * size),
                       d = operand(device, size * size);
  auto tensor = [&](const ashlar::Buffer &buffer) {
    return ashlar::TensorArgument{
        buffer.data(), ashlar::ElementType::bf16, {size, size}};
  };
  const auto begin = std::chrono::steady_clock::now();
  module.launch_and_wait({{"A", tensor(a)}, {"B", tensor(b)}, {"D", tensor(d)}},
                         std::chrono::hours(1));
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  const double operations = 2.0 * double(size) * double(size) * double(size);
  std::printf("%-14s %.2f GFLOP/s\n", ("gemm " + std::to_string(size)).c_str(),
              operations / elapsed.count() * 1e-9);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Times the simulator: its instructions and operations of a GEMM "
               "in a second. Needs no GPU.");
  CLI11_PARSE(app, argc, argv);
  std::printf("%-14s %s\n", "", "million warp instructions per second");
  for (const Loop &loop : loops) {
    GlobalMemory memory;
    auto program = load(kernelOf(loop), loop.name, memory);
    LaunchShape shape{{1, 1, 1}, {warps * 32, 1, 1}, {1, 1, 1}, 0};
    const auto begin = std::chrono::steady_clock::now();
    const auto reports = launch(*program, "kernel", shape, {}, memory);
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - begin;
    if (!reports.empty()) {
      std::printf("%s\n", reports.front().text().c_str());
      return 1;
    }
    const std::string text = loop.text;
    const auto perCopy = std::count(text.begin(), text.end(), ';');
    const double executed =
        double(warps) * rounds * (copies * double(perCopy) + 3);
    std::printf("%-14s %.1f\n", loop.name, executed / elapsed.count() * 1e-6);
  }
  for (int64_t size : {512, 1024, 2048})
    measureGemm(size);
  return 0;
}
