#include "bench/GemmMeasurements.h"

#include "ashlar/error.h"
#include "ashlar/gemm_cost.h"
#include "bench/GemmKernels.h"
#include "bench/Written.h"

#include <cmath>
#include <fstream>

namespace ashlar::bench {

namespace {

constexpr char columns[] = "types,m,n,k,configuration,hot_us,cold_us,"
                           "theirs_hot_us,theirs_cold_us,model_us";

} // namespace

double GemmTime::score() const { return std::sqrt(hot * cold); }

GemmMeasurements::GemmMeasurements(const std::string &path) {
  if (path.empty())
    return;
  std::string first;
  const bool isNew = !std::getline(std::ifstream(path), first);
  if (!isNew && first != columns)
    throw Error(path + " has other columns: give --measurements another path");
  file = std::fopen(path.c_str(), "a");
  if (!file)
    throw Error("cannot write " + path + ": give --measurements another path");
  if (isNew)
    std::fprintf(file, "%s\n", columns);
  demandWritten(file, "--measurements");
}

GemmMeasurements::~GemmMeasurements() {
  if (file)
    std::fclose(file);
}

void GemmMeasurements::add(const GemmTypes &types, const GemmSizes &sizes,
                           const GemmConfig &config, const GemmTime &time,
                           const GemmTime &theirs) {
  if (!file)
    return;
  std::fprintf(file, "%s,%ld,%ld,%ld,%s,%.3f,%.3f,%.3f,%.3f,%.3f\n",
               shortName(types).c_str(), sizes.m, sizes.n, sizes.k,
               config.str().c_str(), time.hot, time.cold, theirs.hot,
               theirs.cold, gemm_cost(sizes, types, config).total);
  demandWritten(file, "--measurements");
}

} // namespace ashlar::bench
