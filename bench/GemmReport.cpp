#include "bench/GemmReport.h"

#include "bench/Written.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ashlar::bench {

namespace {

/// TFLOP/s of a time in microseconds.
double teraflops(const GemmRow &row, const Measurement &time) {
  return operations(row.shape.sizes) / time.median / 1e6;
}

void printTimes(const GemmRow &row, const Measurement &ours,
                const Measurement &theirs, const Measurement &ratio) {
  if (!row.hasCompetitor) {
    std::printf(" |%9.2f%9s%7.1f%7s %6s    ", ours.median, "-",
                teraflops(row, ours), "-", "-");
    return;
  }
  std::printf(" |%9.2f%9.2f%7.1f%7.1f %6.3f %2.0f%%", ours.median,
              theirs.median, teraflops(row, ours), teraflops(row, theirs),
              ratio.median, 100 * ratio.spread);
}

double geometricMean(const std::vector<GemmRow> &rows,
                     const std::function<double(const GemmRow &)> &of) {
  double logarithms = 0;
  for (const GemmRow &row : rows)
    logarithms += std::log(of(row));
  return std::exp(logarithms / static_cast<double>(rows.size()));
}

/// Geometric means of what was reached.
void printSpeed(const char *what, const std::vector<GemmRow> &rows) {
  if (rows.empty())
    return;
  std::printf("%-8s %3zu shapes:  ours", what, rows.size());
  for (auto [name, time] : {std::pair{"cold", &GemmRow::oursCold},
                            std::pair{"hot", &GemmRow::oursHot}})
    std::printf("  %s %.1f TFLOP/s", name,
                geometricMean(rows, [time = time](const GemmRow &row) {
                  return teraflops(row, row.*time);
                }));
  std::printf("\n");
}

void printSummary(const char *what, std::vector<GemmRow> rows) {
  std::erase_if(rows, [](const GemmRow &row) { return !row.hasCompetitor; });
  if (rows.empty())
    return;
  std::printf("%-8s %3zu shapes:", what, rows.size());
  for (auto [name, ratio] : {std::pair{"cold", &GemmRow::coldRatio},
                             std::pair{"hot", &GemmRow::hotRatio}}) {
    auto of = [ratio = ratio](const GemmRow &row) {
      return (row.*ratio).median;
    };
    const GemmRow &least = *std::ranges::min_element(rows, {}, of);
    std::printf("  %s %.3f, least %.3f (%s)", name, geometricMean(rows, of),
                of(least), str(least.shape.sizes).c_str());
  }
  std::printf("\n");
}

} // namespace

GemmReport::GemmReport(const std::string &csvPath) {
  if (csvPath.empty())
    return;
  csv = std::fopen(csvPath.c_str(), "w");
  if (!csv)
    throw Error("cannot write " + csvPath + ": give --csv another path");
  std::fprintf(
      csv,
      "types,m,n,k,origin,ours_cold_us,theirs_cold_us,cold_ratio,"
      "ours_hot_us,theirs_hot_us,hot_ratio,error,their_error,configuration,"
      "competitor_cold,competitor_hot,remark\n");
  demandWritten(csv, "--csv");
}

GemmReport::~GemmReport() {
  if (csv)
    std::fclose(csv);
}

void GemmReport::beginTable(const GemmTypes &newTypes) {
  types = newTypes;
  rows.clear();
  uncounted = 0;
  const char *columns = "ours us   theirs   ours theirs  ratio    ";
  std::printf(
      "\n%s: D = A·Bᵀ in %s. Microseconds, then TFLOP/s, of ours and of "
      "the fastest competitor; ratio: our\nspeed over theirs, and its "
      "spread over the rounds; the relative "
      "errors of ours and of cuBLASLt's first; our configuration.\n%-18s | "
      "cold %36s| hot\n%-18s | %s| %s|\n",
      shortName(types).c_str(), std::string(name(types.d)).c_str(), "", "",
      "M x N x K", columns, columns);
}

void GemmReport::add(const GemmRow &row) {
  std::printf("%-18s", str(row.shape.sizes).c_str());
  if (!row.refusal.empty()) {
    std::printf(" | %s: %s", row.configuration.c_str(), row.refusal.c_str());
  } else {
    printTimes(row, row.oursCold, row.theirsCold, row.coldRatio);
    printTimes(row, row.oursHot, row.theirsHot, row.hotRatio);
    std::printf(" | %.1e %.1e  %s", row.fromTruth.relative,
                row.competitorFromTruth.relative, row.configuration.c_str());
  }
  if (row.wrong)
    std::printf("  WRONG: off by %.2g from the truth, by %.2g from cuBLASLt",
                row.fromTruth.largest, row.fromCompetitor.largest);
  if (!row.shape.origin.empty())
    std::printf("  (%s)", row.shape.origin.c_str());
  std::printf("\n");
  std::fflush(stdout);
  addToCsv(row);
  if (!row.wrong && row.refusal.empty()) {
    rows.push_back(row);
    return;
  }
  ++uncounted;
  right = false;
}

void GemmReport::addToCsv(const GemmRow &row) {
  if (!csv)
    return;
  const GemmSizes &sizes = row.shape.sizes;
  std::string remark = row.wrong ? "WRONG" : row.refusal;
  std::ranges::replace(remark, '"', '\'');
  std::fprintf(csv, "%s,%ld,%ld,%ld,%s,", shortName(types).c_str(), sizes.m,
               sizes.n, sizes.k, row.shape.origin.c_str());
  if (row.refusal.empty())
    std::fprintf(csv, "%.3f,%.3f,%.4f,%.3f,%.3f,%.4f,%.3e,%.3e,",
                 row.oursCold.median, row.theirsCold.median,
                 row.coldRatio.median, row.oursHot.median, row.theirsHot.median,
                 row.hotRatio.median, row.fromTruth.relative,
                 row.competitorFromTruth.relative);
  else
    std::fprintf(csv, ",,,,,,,,");
  std::fprintf(csv, "%s,%s,%s,\"%s\"\n", row.configuration.c_str(),
               row.competitorCold.c_str(), row.competitorHot.c_str(),
               remark.c_str());
  demandWritten(csv, "--csv");
}

void GemmReport::endTable() {
  std::vector<GemmRow> named, drawn;
  for (const GemmRow &row : rows)
    (row.shape.origin.empty() ? named : drawn).push_back(row);
  printSummary("named", named);
  printSummary("random", drawn);
  printSummary("all", rows);
  printSpeed("all", rows);
  if (uncounted)
    std::printf("%d shapes do not count: wrong, or not measured\n", uncounted);
  std::fflush(stdout);
}

} // namespace ashlar::bench
