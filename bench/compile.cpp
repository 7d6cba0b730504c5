// How long the library's GEMM takes from C++ to PTX, level by level, and on to
// a cubin where there is ptxas: bench-compile [bf16 "128x128x64 s4 w2" ...],
// configurations, each of the type that was last named.
// Each compilation has a process of its own, as a program's first one does;
// a line gives the fastest of some.

#include "ashlar/compile.h"
#include "ashlar/gemm.h"
#include "compiler/driver/Assemble.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

using namespace ashlar;

namespace {

constexpr int rounds = 16;
constexpr const char *steps[] = {"trace", "tile",   "hopper", "thread",
                                 "ptx",   "to PTX", "cubin"};
constexpr size_t ptxStep = 4, toPtx = 5;

using Milliseconds = std::array<double, std::size(steps)>;

const std::map<std::string, GemmTypes> typesByName{
    {"bf16", {}},
    {"fp8", {e4m3, e4m3, bf16, Accumulation::fast}},
    {"fp8full", {e4m3, e4m3, bf16, Accumulation::full}}};

Milliseconds compileOnce(const GemmTypes &types, const GemmConfig &config) {
  Milliseconds times{};
  const auto begin = std::chrono::steady_clock::now();
  const Kernel kernel = gemm(types, config);
  times[0] = std::chrono::duration<double, std::milli>(
                 std::chrono::steady_clock::now() - begin)
                 .count();
  CompileOptions options;
  options.assemble = !compiler::findPtxas().empty();
  for (const StepTime &step : compile(kernel, options).times)
    for (size_t i = 0; i < times.size(); ++i)
      if (step.step == steps[i])
        times[i] = step.milliseconds;
  for (size_t i = 0; i <= ptxStep; ++i)
    times[toPtx] += times[i];
  return times;
}

/// The same in a child process.
Milliseconds compileAfresh(const GemmTypes &types, const GemmConfig &config) {
  Milliseconds times;
  int ends[2];
  if (pipe(ends))
    throw Error("there is no pipe to a child process");
  const pid_t child = fork();
  if (child == 0) {
    try {
      times = compileOnce(types, config);
    } catch (const Error &error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    _exit(write(ends[1], times.data(), sizeof(times)) != sizeof(times));
  }
  close(ends[1]);
  const bool whole = read(ends[0], times.data(), sizeof(times)) ==
                     static_cast<ssize_t>(sizeof(times));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!whole)
    throw Error("'" + config.str() + "' was not compiled");
  return times;
}

void report(const std::string &types, const std::string &text) {
  const GemmConfig config = GemmConfig::parse(text, SourceLocation());
  Milliseconds best;
  best.fill(1e9);
  for (int round = 0; round < rounds; ++round) {
    const Milliseconds times = compileAfresh(typesByName.at(types), config);
    for (size_t i = 0; i < best.size(); ++i)
      best[i] = std::min(best[i], times[i]);
  }
  for (double milliseconds : best)
    std::printf("%7.1f", milliseconds);
  std::printf("  %s %s\n", types.c_str(), config.str().c_str());
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty())
    words = {"fp8full",
             "128x192x128 s4 w2 c2x1 g4 e64x2",
             "fp8",
             "128x256x128 s3 w2 c2x1 g8 e64x1",
             "bf16",
             "128x256x64 s4 w2 c2x1 g8 e64x2",
             "256x176x64 s3 w2 c1x2 g8 e16x2",
             "128x128x64 s4 w2 pingpong",
             "128x64x64 s6 w2 swapped",
             "128x128x64 s4 w2 k2"};
  for (const char *step : steps)
    std::printf("%7s", step);
  std::printf("  milliseconds\n");
  try {
    std::string types = "bf16";
    for (const std::string &word : words)
      if (typesByName.contains(word))
        types = word;
      else
        report(types, word);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
