// The table of a comparison, for people and as comma-separated values.
#pragma once

#include "bench/GemmComparison.h"

#include <cstdio>
#include <string>
#include <vector>

namespace ashlar::bench {

class GemmReport {
public:
  /// `csvPath` may be empty. Throws `Error` when it can't be written.
  explicit GemmReport(const std::string &csvPath);
  ~GemmReport();
  GemmReport(const GemmReport &) = delete;

  void beginTable(const GemmTypes &types);
  void add(const GemmRow &row);
  /// Geometric means and smallest ratios over the named, the random and all
  /// shapes of the table whose results are right.
  void endTable();

  /// Whether every row was measured and right.
  bool allRight() const { return right; }

private:
  void addToCsv(const GemmRow &row);

  std::FILE *csv = nullptr;
  GemmTypes types;
  std::vector<GemmRow> rows; // those that count
  int uncounted = 0;
  bool right = true;
};

} // namespace ashlar::bench
