// GEMM against cuBLASLt and cuBLAS in one run on one GPU: random normal data,
// results checked, cold and hot, ours and theirs in turns.

#include "bench/GemmComparison.h"
#include "bench/GemmOptions.h"
#include "bench/GemmReport.h"

#include <chrono>
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

GemmConfig configFor(const GemmOptions &options) {
  return options.config.value_or(GemmConfig());
}

void table(const GemmOptions &options, ComparisonContext &context,
           const Deadline &deadline, GemmReport &report) {
  std::vector<GemmConfig> configs;
  for (size_t i = 0; i < options.shapes.size(); ++i)
    configs.push_back(configFor(options));
  context.kernels.compile(context.types, configs);

  report.beginTable(context.types);
  for (size_t i = 0; i < options.shapes.size() && !deadline.passed(); ++i)
    report.add(compareGemm(context, options.shapes[i], configs[i]));
  report.endTable();
}

int run(const GemmOptions &options) {
  if (auto reason = Device::unavailable()) {
    std::printf("no GPU to measure on: %s\n", reason->c_str());
    return 0;
  }
  Device device = Device::open();
  Timer timer(device);
  GemmKernels kernels(device);
  GemmReport report(options.csv);
  const Deadline deadline(options.timeBudget);
  std::printf("%s, seed %lu, %d rounds\n", device.name().c_str(), options.seed,
              options.rounds);
  for (const GemmTypes &types : options.types) {
    Competitors competitors(device, types);
    ComparisonContext context{device,      timer, kernels,
                              competitors, types, options.rounds};
    table(options, context, deadline, report);
  }
  if (deadline.passed())
    std::printf("the time budget ended before the tables\n");
  return report.allRight() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  GemmOptions options;
  if (std::optional<int> status = parse(argc, argv, options))
    return *status;
  try {
    return run(options);
  } catch (const Error &error) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", error.what());
    std::_Exit(1);
  }
}
