// GEMM against cuBLASLt and cuBLAS in one run on one GPU: random normal data,
// results checked, cold and hot, ours and theirs in turns.

#include "ashlar/gemm_auto.h"
#include "bench/GemmChoice.h"
#include "bench/GemmFit.h"
#include "bench/GemmOptions.h"
#include "bench/GemmReport.h"
#include "bench/GemmTuner.h"
#include "tool/Failure.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace ashlar;
using namespace ashlar::bench;

namespace {

class Deadline {
public:
  explicit Deadline(double seconds) : seconds(seconds) {}
  bool passed() const {
    const std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    return elapsed.count() > seconds;
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  double seconds;
};

GemmTable loadTable(const GemmOptions &options) {
  const bool isNew = options.table.empty() ||
                     (options.tune && !std::filesystem::exists(options.table));
  return isNew ? GemmTable() : GemmTable::load(options.table);
}

GemmTypes typesOf(const GemmShape &shape, const GemmTypes &types) {
  return aligned_as(shape.sizes, vectors_as_rows(shape.sizes, types));
}

void print(const TuningResult &result) {
  std::printf("%-18s", str(result.shape.sizes).c_str());
  if (result.best) {
    const auto &[config, time] = *result.best;
    std::printf(" hot %9.2f cold %9.2f us%7.1f TFLOP/s  %-40s", time.hot,
                time.cold, operations(result.shape.sizes) / time.hot / 1e6,
                config.str().c_str());
    if (result.theirs)
      std::printf(" over the competitor cold %.3f hot %.3f ",
                  result.theirs->cold / time.cold,
                  result.theirs->hot / time.hot);
  }
  std::printf(" %zu measured, %zu dropped; ", result.measured, result.dropped);
  if (const std::optional<double> regret = result.regret())
    std::printf("the model's takes %.3f times as long as the fastest "
                "candidate: %s\n",
                *regret, result.model.str().c_str());
  else
    std::printf("the model's was dropped: %s\n", result.model.str().c_str());
  std::fflush(stdout);
}

/// Extends the table; the file is whole after every shape.
void tune(const GemmOptions &options, GemmBench &bench,
          const Deadline &deadline, GemmTable &table,
          GemmMeasurements &measurements) {
  GemmTuner tuner(bench, options.candidates, options.also, options.avoided,
                  measurements);
  double logarithms = 0, worst = 1;
  int regrets = 0;
  std::printf("\n%s: tuning\n", shortName(bench.types).c_str());
  const GemmTypes types = bench.types;
  for (const GemmShape &shape : options.shapes) {
    bench.types = typesOf(shape, types);
    if (deadline.passed() || table.find(shape.sizes, bench.types))
      continue;
    const TuningResult result = tuner.tune(shape);
    print(result);
    if (const std::optional<double> regret = result.regret())
      logarithms += std::log(*regret), worst = std::max(worst, *regret),
                                       ++regrets;
    if (!result.best)
      continue;
    const auto &[config, time] = *result.best;
    table.set({bench.types, shape.sizes, config, time.hot, time.cold});
    table.save(options.table);
  }
  bench.types = types;
  if (regrets)
    std::printf("the model's choices take %.3f times as long as the fastest "
                "candidates (geometric mean of %d), at worst %.3f\n",
                std::exp(logarithms / regrets), regrets, worst);
}

void compare(const GemmOptions &options, GemmBench &bench,
             const Deadline &deadline, const GemmTable &table,
             GemmReport &report) {
  const GemmTypes types = bench.types;
  std::vector<GemmVariant> programs;
  for (const GemmShape &shape : options.shapes) {
    const GemmTypes aligned = typesOf(shape, types);
    programs.push_back(
        {aligned, options.config
                      ? *options.config
                      : choose(shape.sizes, aligned, table, options.avoided)});
  }
  bench.kernels.compile(programs);

  report.beginTable(types);
  for (size_t i = 0; i < options.shapes.size() && !deadline.passed(); ++i) {
    bench.types = programs[i].types;
    report.add(compareGemm(bench, options.shapes[i], programs[i].config));
  }
  bench.types = types;
  report.endTable();
}

int explain(const GemmOptions &options) {
  std::vector<GemmConfig> others;
  if (options.config)
    others.push_back(*options.config);
  for (const GemmTypes &types : options.types)
    for (const GemmShape &shape : options.shapes)
      std::printf(
          "\n%s, %s: %s", str(shape.sizes).c_str(), shortName(types).c_str(),
          gemm_why(shape.sizes, typesOf(shape, types), {}, options.why, others)
              .c_str());
  return 0;
}

void print(const char *what, const GemmFitness &of) {
  std::printf("%-40s %6zu problems, error %.4f, regret %.4f, worst %.3f\n",
              what, of.problems, of.error, of.regret, of.worstRegret);
}

/// A fit to two thirds of the problems, for what it does to the others, and one
/// to all of them.
int fit(const GemmOptions &options) {
  const std::vector<GemmSample> samples = readMeasurements(options.fit);
  const auto [known, unknown] = holdOut(samples);
  print("a third, by the model as it is", fitness(unknown, h200()));
  print("  fitted to the others",
        fitness(unknown, fitModel(known, h200()).model));
  const GemmFit all = fitModel(samples, h200());
  print("all, by the model as it is", fitness(samples, h200()));
  const GemmFitness after = fitness(samples, all.model);
  print("  fitted to all", after);
  std::printf("\n%-30s %12s %12s %14s\n", "constant", "is", "fitted",
              "error without");
  for (const FittedConstant &constant : all.constants)
    std::printf("%-30s %12.5g %12.5g %+14.4f\n",
                std::string(constant.name).c_str(), constant.before,
                constant.after, constant.errorWithout - after.error);
  return 0;
}

int run(const GemmOptions &options) {
  if (options.why)
    return explain(options);
  if (!options.fit.empty())
    return fit(options);
  if (auto reason = Device::unavailable()) {
    std::printf("no GPU to measure on: %s\n", reason->c_str());
    return 0;
  }
  Device device = Device::open();
  Timer timer(device);
  GemmKernels kernels(device);
  GemmReport report(options.csv);
  GemmMeasurements measurements(options.measurements);
  GemmTable table = loadTable(options);
  const Deadline deadline(options.timeBudget);
  std::printf("%s, seed %lu, %d rounds\n", device.name().c_str(), options.seed,
              options.rounds);
  for (const GemmTypes &types : options.types) {
    Competitors competitors(device, types);
    GemmBench bench{device, timer, kernels, competitors, types, options.rounds};
    if (options.tune)
      tune(options, bench, deadline, table, measurements);
    compare(options, bench, deadline, table, report);
  }
  if (deadline.passed())
    std::printf("the time budget is spent; not everything was measured\n");
  return report.allRight() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  GemmOptions options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  try {
    return harness::finished(run(options));
  } catch (const Error &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", error.what());
    std::_Exit(1);
  }
}
