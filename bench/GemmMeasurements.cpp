#include "bench/GemmMeasurements.h"

#include "ashlar/error.h"
#include "ashlar/gemm_auto.h"
#include "bench/GemmKernels.h"
#include "bench/GemmShapes.h"
#include "bench/Written.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace ashlar::bench {

namespace {

constexpr char columns[] = "types,m,n,k,configuration,hot_us,cold_us,"
                           "theirs_hot_us,theirs_cold_us,model_us";

void findCandidates(std::vector<GemmSample> &samples) {
  std::map<std::string, std::vector<GemmConfig>> candidates;
  for (GemmSample &sample : samples) {
    const auto [place, isNew] =
        candidates.try_emplace(shortName(sample.types) + str(sample.sizes));
    if (isNew)
      place->second = gemm_candidates(sample.sizes, sample.types);
    sample.isCandidate = std::ranges::count(place->second, sample.config) > 0;
  }
}

} // namespace

double GemmTime::score() const { return std::sqrt(hot * cold); }

/// By problem and configuration.
using Places = std::map<std::string, size_t>;

static void readMeasurements(const std::string &path,
                             std::vector<GemmSample> &samples, Places &places) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != columns)
    throw Error(path + " has none of --measurements' columns");
  for (uint32_t number = 2; std::getline(file, line); ++number) {
    // Commas are part of a layout's alignments.
    std::vector<std::string> fields;
    std::stringstream text(line);
    for (std::string field; std::getline(text, field, ',');)
      fields.push_back(field);
    constexpr size_t count = 10;
    while (fields.size() > count) {
      fields[0] += "," + fields[1];
      fields.erase(fields.begin() + 1);
    }
    const SourceLine where{path, number, 1};
    if (fields.size() != count)
      throw Error(where, "has not as many values as there are columns: delete "
                         "the line");
    GemmSample sample;
    try {
      sample = {
          typesNamed(fields[0]),
          {std::stol(fields[1]), std::stol(fields[2]), std::stol(fields[3])},
          GemmConfig::parse(fields[4], SourceLocation()),
          {std::stod(fields[5]), std::stod(fields[6])}};
    } catch (const Error &error) {
      throw Error(where, error.what());
    } catch (const std::logic_error &) {
      throw Error(where, "a size or a time is no number: delete the line");
    }
    if (!(sample.time.hot > 0 && sample.time.cold > 0))
      throw Error(where, "a time is not above 0: delete the line");
    if (const std::string reason =
            why_not(sample.sizes, sample.types, sample.config);
        !reason.empty()) {
      std::fprintf(stderr, "%s:%u is left out: %s\n", path.c_str(), number,
                   reason.c_str());
      continue;
    }
    const auto [place, isNew] = places.try_emplace(
        fields[0] + str(sample.sizes) + fields[4], samples.size());
    if (isNew)
      samples.push_back(sample);
    else
      samples[place->second] = sample;
  }
}

std::vector<GemmSample>
readMeasurements(const std::vector<std::string> &paths) {
  std::vector<GemmSample> samples;
  Places places;
  for (const std::string &path : paths)
    readMeasurements(path, samples, places);
  findCandidates(samples);
  return samples;
}

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
