#include "bench/GemmMeasurements.h"

#include "ashlar/error.h"
#include "ashlar/gemm_cost.h"
#include "bench/GemmKernels.h"

#include <cmath>

namespace ashlar::bench {

double GemmTime::score() const { return std::sqrt(hot * cold); }

GemmMeasurements::GemmMeasurements(const std::string &path) {
  if (path.empty())
    return;
  file = std::fopen(path.c_str(), "a");
  if (!file)
    throw Error("cannot write " + path + ": give --measurements another path");
  if (std::fseek(file, 0, SEEK_END) == 0 && std::ftell(file) == 0)
    std::fprintf(file, "types,m,n,k,configuration,hot_us,cold_us,model_us\n");
}

GemmMeasurements::~GemmMeasurements() {
  if (file)
    std::fclose(file);
}

void GemmMeasurements::add(const GemmTypes &types, const GemmSizes &sizes,
                           const GemmConfig &config, const GemmTime &time) {
  if (!file)
    return;
  std::fprintf(file, "%s,%ld,%ld,%ld,%s,%.3f,%.3f,%.3f\n",
               shortName(types).c_str(), sizes.m, sizes.n, sizes.k,
               config.str().c_str(), time.hot, time.cold,
               gemm_cost(sizes, types, config).total);
  std::fflush(file);
}

} // namespace ashlar::bench
