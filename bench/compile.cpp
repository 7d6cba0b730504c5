// How long the library's kernels take from C++ to PTX, level by level, and on
// to a cubin where there is ptxas: bench-compile [bf16 "128x128x64 s4 w2" ...]
// [attention], configurations of GEMM, each of the type that was last named,
// and the kernels of attention. Each compilation has a process of its own, as a
// program's first one does; a line gives the fastest of some.

#include "ashlar/attention_auto.h"
#include "ashlar/gemm.h"
#include "bench/Assembled.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
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

/// A kernel, by what it is called in the table.
struct Subject {
  std::string name;
  std::function<Kernel()> make;
};

/// The forward pass with the configurations that the library chooses for
/// sequences of 4096 and for decoding, and the kernels of the gradients.
std::vector<Subject> attentionKernels() {
  std::vector<Subject> all;
  auto forward = [&](const std::string &name, AttentionForm form,
                     const AttentionSizes &sizes) {
    const AttentionChoice choice = attention_auto(form, sizes);
    form.group = choice.group;
    all.push_back(
        {"attention " + name, [=] { return attention(form, choice.config); }});
  };
  auto backward = [&](int64_t d, const AttentionBackwardConfig &config) {
    all.push_back({"attention_backward d " + std::to_string(d), [=] {
                     return attention_backward({.d = d, .dv = d, .after = 0},
                                               config);
                   }});
  };
  for (int64_t d : {64, 128, 256})
    for (bool causal : {false, true}) {
      AttentionForm form{.d = d, .dv = d};
      if (causal)
        form.after = 0;
      forward("d " + std::to_string(d) + (causal ? " causal" : " full"), form,
              {4, 2048 / d, 2048 / d, 4096, 4096});
    }
  forward("decoding, pages of 16", {.page = 16}, {8, 64, 8, 1, 8192});
  backward(64, {.bm = 128});
  backward(128, {});
  backward(256,
           {.bm = 48, .bn = 64, .warpgroups = 3, .apart = true, .cluster = 2});
  all.push_back({"attention_delta d 128", [] { return attention_delta({}); }});
  all.push_back({"attention_query_gradient d 128",
                 [] { return attention_query_gradient({}); }});
  return all;
}

Milliseconds compileOnce(const Subject &subject) {
  Milliseconds times{};
  const auto begin = std::chrono::steady_clock::now();
  const Kernel kernel = subject.make();
  times[0] = std::chrono::duration<double, std::milli>(
                 std::chrono::steady_clock::now() - begin)
                 .count();
  for (const StepTime &step :
       compile(kernel, bench::assembledIfPossible()).times)
    for (size_t i = 0; i < times.size(); ++i)
      if (step.step == steps[i])
        times[i] = step.milliseconds;
  for (size_t i = 0; i <= ptxStep; ++i)
    times[toPtx] += times[i];
  return times;
}

/// The same in a child process.
Milliseconds compileAfresh(const Subject &subject) {
  Milliseconds times;
  int ends[2];
  if (pipe(ends))
    throw Error("there is no pipe to a child process");
  const pid_t child = fork();
  if (child == 0) {
    try {
      times = compileOnce(subject);
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
    throw Error("'" + subject.name + "' was not compiled");
  return times;
}

void report(const Subject &subject) {
  Milliseconds best;
  best.fill(1e9);
  for (int round = 0; round < rounds; ++round) {
    const Milliseconds times = compileAfresh(subject);
    for (size_t i = 0; i < best.size(); ++i)
      best[i] = std::min(best[i], times[i]);
  }
  for (double milliseconds : best)
    std::printf("%7.1f", milliseconds);
  std::printf("  %s\n", subject.name.c_str());
}

Subject gemmOf(const std::string &types, const std::string &text) {
  const GemmConfig config = GemmConfig::parse(text, SourceLocation());
  return {types + " " + config.str(),
          [=] { return gemm(typesByName.at(types), config); }};
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
             "128x128x64 s4 w2 k2",
             "attention"};
  for (const char *step : steps)
    std::printf("%7s", step);
  std::printf("  milliseconds\n");
  try {
    std::string types = "bf16";
    for (const std::string &word : words)
      if (typesByName.contains(word))
        types = word;
      else if (word.starts_with("attention"))
        for (const Subject &subject : attentionKernels()) {
          if (subject.name.starts_with(word))
            report(subject);
        }
      else
        report(gemmOf(types, word));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
