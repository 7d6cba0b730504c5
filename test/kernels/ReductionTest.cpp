// Rows, columns and whole fragments combined, in every layout that a fragment
// has: of a role's threads in rows, of wgmma, and of a part of a fragment.

#include "test/kernels/Feature.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ashlar::test {
namespace {

/// Softmax of rows that one tile holds, by a role of so many warps.
Feature softmax(int64_t rows, int64_t columns, int64_t count) {
  return {"softmax of rows of " + std::to_string(rows) + "x" +
              std::to_string(columns) + " by " + std::to_string(count) +
              " warps",
          [=] {
            return kernel("softmax", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", bf16, {M, N});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M}, {rows});
              role("all", warps(count), [&] {
                for (auto [m] : tiles) {
                  Fragment x =
                      convert(load(X.at({m * rows, 0}), {rows, columns}), f32);
                  x = select(ashlar::columns({rows, columns}) < N, x,
                             -std::numeric_limits<float>::infinity());
                  Fragment e = exp(x - along_rows(row_max(x)));
                  store(D.at({m * rows, 0}), e / along_rows(row_sum(e)));
                }
              });
            });
          },
          {{{"M", 2 * rows + 1}, {"N", columns}},
           {{"M", rows}, {"N", columns - columns / 3}},
           {{"M", 1}, {"N", 1}}},
          [largest = 0., sum = 0.](const Problem &p, Coordinate at) mutable {
            const HostTensor &x = p["X"];
            if (at[1] == 0) {
              largest = -1e30, sum = 0;
              for (int64_t n = 0; n < p.size("N"); ++n)
                largest = std::max(largest, x(at[0], n));
              for (int64_t n = 0; n < p.size("N"); ++n)
                sum += std::exp(x(at[0], n) - largest);
            }
            return std::exp(x(at) - largest) / sum;
          },
          1e-5};
}

/// A fragment of 64 x 48 combined to a vector or to a number, which is stored
/// everywhere.
struct Way {
  std::string name;
  std::function<Fragment(const Fragment &)> compute;
  std::function<double(const std::vector<std::vector<double>> &, int64_t row,
                       int64_t column)>
      expected;
};

constexpr int64_t tileRows = 64, tileColumns = 48;

Fragment everywhere(ElementType type, const Fragment &rows) {
  return zeros(type, {tileRows, tileColumns}) + along_rows(rows);
}

std::vector<Way> ways(ElementType type) {
  using Tile = std::vector<std::vector<double>>;
  const Shape shape{tileRows, tileColumns};
  auto ofRow = [](auto combine) {
    return [=](const Tile &tile, int64_t row, int64_t) {
      return combine(tile[row]);
    };
  };
  auto ofColumn = [](auto combine) {
    return [=](const Tile &tile, int64_t, int64_t column) {
      std::vector<double> values;
      for (const auto &row : tile)
        values.push_back(row[column]);
      return combine(values);
    };
  };
  auto ofAll = [](auto combine) {
    return [=](const Tile &tile, int64_t, int64_t) {
      std::vector<double> values;
      for (const auto &row : tile)
        values.insert(values.end(), row.begin(), row.end());
      return combine(values);
    };
  };
  using Values = std::vector<double>;
  auto sum = [](const Values &v) {
    double total = 0;
    for (double value : v)
      total += value;
    return total;
  };
  auto max = [](const Values &v) { return *std::ranges::max_element(v); };
  auto min = [](const Values &v) { return *std::ranges::min_element(v); };
  auto argmax = [](const Values &v) {
    return double(std::ranges::max_element(v) - v.begin());
  };
  auto argmin = [](const Values &v) {
    return double(std::ranges::min_element(v) - v.begin());
  };
  auto any = [](const Values &v) {
    return double(std::ranges::any_of(v, [](double x) { return x > 2; }));
  };
  auto all = [](const Values &v) {
    return double(std::ranges::all_of(v, [](double x) { return x < 2; }));
  };
  auto number = [=](Scalar value) { return full(type, shape, value); };
  auto truth = [=](const Mask &mask) {
    return select(mask, full(type, shape, 1), full(type, shape, 0));
  };
  auto spread = [=](const Mask &mask) {
    // Of rows: through a vector of numbers.
    return everywhere(type, select(mask, full(type, {tileRows}, 1),
                                   full(type, {tileRows}, 0)));
  };
  auto zero = [=] { return zeros(type, shape); };
  return {
      {"row_sum", [=](auto &x) { return everywhere(type, row_sum(x)); },
       ofRow(sum)},
      {"row_max", [=](auto &x) { return everywhere(type, row_max(x)); },
       ofRow(max)},
      {"row_min", [=](auto &x) { return everywhere(type, row_min(x)); },
       ofRow(min)},
      {"row_argmax",
       [=](auto &x) { return everywhere(type, convert(row_argmax(x), type)); },
       ofRow(argmax)},
      {"row_argmin",
       [=](auto &x) { return everywhere(type, convert(row_argmin(x), type)); },
       ofRow(argmin)},
      {"row_any", [=](auto &x) { return spread(row_any(x > 2)); }, ofRow(any)},
      {"row_all", [=](auto &x) { return spread(row_all(x < 2)); }, ofRow(all)},
      {"column_sum", [=](auto &x) { return zero() + column_sum(x); },
       ofColumn(sum)},
      {"column_max", [=](auto &x) { return zero() + column_max(x); },
       ofColumn(max)},
      {"column_min", [=](auto &x) { return zero() + column_min(x); },
       ofColumn(min)},
      {"column_argmax",
       [=](auto &x) { return zero() + convert(column_argmax(x), type); },
       ofColumn(argmax)},
      {"column_argmin",
       [=](auto &x) { return zero() + convert(column_argmin(x), type); },
       ofColumn(argmin)},
      {"column_any", [=](auto &x) { return truth(column_any(x > 2)); },
       ofColumn(any)},
      {"column_all", [=](auto &x) { return truth(column_all(x < 2)); },
       ofColumn(all)},
      {"sum", [=](auto &x) { return number(ashlar::sum(x)); }, ofAll(sum)},
      {"max", [=](auto &x) { return number(ashlar::max(x)); }, ofAll(max)},
      {"min", [=](auto &x) { return number(ashlar::min(x)); }, ofAll(min)},
      {"any",
       [=](auto &x) {
         Fragment result = zero();
         when(ashlar::any(x > 2), [&] { result = full(type, shape, 1); });
         return result;
       },
       ofAll(any)},
      {"all",
       [=](auto &x) {
         Fragment result = zero();
         when(ashlar::all(x < 2), [&] { result = full(type, shape, 1); });
         return result;
       },
       ofAll(all)},
  };
}

/// Scans: each element with those before it, of its row or of its column.
std::vector<Way> scans(ElementType type) {
  struct Scan {
    const char *name;
    Fragment (*ofRows)(const Fragment &, SourceLocation);
    Fragment (*ofColumns)(const Fragment &, SourceLocation);
    bool isExclusive;
    double neutral;
    double (*combine)(double, double);
  };
  // The infinities are clamped: relative errors have none.
  constexpr double most = 100;
  const bool isInteger = type == s32;
  const double least = isInteger ? std::numeric_limits<int32_t>::min() : -most,
               largest = isInteger ? std::numeric_limits<int32_t>::max() : most;
  auto add = [](double a, double b) { return a + b; };
  auto max = [](double a, double b) { return std::max(a, b); };
  auto min = [](double a, double b) { return std::min(a, b); };
  std::vector<Way> all;
  for (const Scan &scan : {
           Scan{"inclusive_sum", row_inclusive_sum, column_inclusive_sum, false,
                0, add},
           Scan{"inclusive_max", row_inclusive_max, column_inclusive_max, false,
                least, max},
           Scan{"inclusive_min", row_inclusive_min, column_inclusive_min, false,
                largest, min},
           Scan{"exclusive_sum", row_exclusive_sum, column_exclusive_sum, true,
                0, add},
           Scan{"exclusive_max", row_exclusive_max, column_exclusive_max, true,
                least, max},
           Scan{"exclusive_min", row_exclusive_min, column_exclusive_min, true,
                largest, min},
       }) {
    for (bool ofRows : {true, false})
      all.push_back({std::string(ofRows ? "row_" : "column_") + scan.name,
                     [=](const Fragment &x) {
                       Fragment result =
                           (ofRows ? scan.ofRows : scan.ofColumns)(
                               x, SourceLocation::current());
                       return isInteger ? result : clamp(result, -most, most);
                     },
                     [=](const std::vector<std::vector<double>> &tile,
                         int64_t row, int64_t column) {
                       double reached = scan.neutral;
                       const int64_t end =
                           (ofRows ? column : row) + (scan.isExclusive ? 0 : 1);
                       for (int64_t i = 0; i < end; ++i)
                         reached = scan.combine(
                             reached, ofRows ? tile[row][i] : tile[i][column]);
                       return reached;
                     }});
  }
  return all;
}

/// The sums of a vector, by a role of so many warps.
Feature scanned(int64_t extent, int64_t count) {
  return {"row_inclusive_sum of a vector of " + std::to_string(extent) +
              " by " + std::to_string(count) + " warps",
          [=] {
            return kernel("scanned", [&] {
              Size N = size("N");
              Tensor X = input("X", f32, {N}, align(4));
              Tensor D = output("D", f32, {N}, align(4));
              TileLoop tiles = persistent({N}, {extent});
              role("all", warps(count), [&] {
                for (auto [n] : tiles)
                  store(D.tile({n}),
                        row_inclusive_sum(load(X.tile({n}), {extent})));
              });
            });
          },
          {{{"N", 2 * extent + 5}}, {{"N", extent / 2}}},
          [=](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t n = at[0] / extent * extent; n <= at[0]; ++n)
              sum += p["X"](n);
            return sum;
          },
          1e-5};
}

/// How the fragment comes to lie as it does.
enum class Lying { inRows, asAccumulator, asPart };

Feature combined(const Way &way, ElementType type, Lying lying, int64_t count) {
  static const char *const names[] = {"in rows", "of wgmma", "as a part"};
  return {way.name + " of " + std::string(name(type)) + " " +
              names[int(lying)] + " by " + std::to_string(count) + " warps",
          [=] {
            return kernel("combined", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N});
              Tensor D = output("D", type, {M, N});
              TileLoop tiles = persistent({M, N}, {tileRows, tileColumns});
              SharedTile tile = shared(bf16, {64, 64});
              role("all", warps(count), [&] {
                for (auto [m, n] : tiles) {
                  Fragment x =
                      lying == Lying::asPart
                          ? slice(load(X.at({m * tileRows, n * tileColumns}),
                                       {2 * tileRows, tileColumns}),
                                  {0, 0}, {tileRows, tileColumns})
                          : load(X.tile({m, n}), {tileRows, tileColumns});
                  if (lying == Lying::asAccumulator) {
                    // Nothing is added: the accumulator is x.
                    store(tile, zeros(bf16, {64, 64}));
                    x = mma(tile, slice(tile, {0, 0}, {48, 64}).T(), x);
                  }
                  store(D.tile({m, n}), way.compute(x));
                }
              });
            });
          },
          {{{"M", 64}, {"N", 96}}, {{"M", 70}, {"N", 50}}},
          [=, tile = std::vector(tileRows, std::vector<double>(tileColumns))](
              const Problem &p, Coordinate at) mutable {
            const HostTensor &x = p["X"];
            const int64_t row = at[0] % tileRows, column = at[1] % tileColumns;
            if (column == 0)
              for (int64_t i = 0; i < tileRows; ++i)
                for (int64_t j = 0; j < tileColumns; ++j) {
                  const int64_t m = at[0] - row + i, n = at[1] + j;
                  tile[i][j] =
                      m < x.shape()[0] && n < x.shape()[1] ? x(m, n) : 0;
                }
            return way.expected(tile, row, column);
          },
          type == bf16 || type == f16 ? 1e-2 : 1e-5};
}

std::vector<Feature> features() {
  std::vector<Feature> all = {softmax(1, 512, 4),   softmax(1, 2048, 8),
                              softmax(1, 4096, 16), softmax(4, 96, 4),
                              softmax(16, 64, 4),   softmax(3, 64, 3),
                              softmax(8, 8, 1),     softmax(1, 96, 3),
                              softmax(128, 32, 8),  softmax(1, 4096, 32)};
  for (int64_t count : {1, 4, 8})
    for (const Way &way : ways(f32))
      all.push_back(combined(way, f32, Lying::inRows, count));
  for (const Way &way : ways(f32))
    all.push_back(combined(way, f32, Lying::asAccumulator, 4));
  for (const Way &way : ways(f32))
    all.push_back(combined(way, f32, Lying::asPart, 4));
  for (int64_t count : {1, 2, 8})
    for (const Way &way : scans(f32))
      all.push_back(combined(way, f32, Lying::inRows, count));
  for (const Way &way : scans(f32))
    all.push_back(combined(way, f32, Lying::asAccumulator, 4));
  for (const Way &way : scans(f32))
    all.push_back(combined(way, f32, Lying::asPart, 4));
  for (const Way &way : scans(s32))
    all.push_back(combined(way, s32, Lying::inRows, 4));
  for (const Way &way : scans(bf16))
    all.push_back(combined(way, bf16, Lying::inRows, 4));
  for (auto [columns, count] :
       {std::pair{4096, 4}, {1024, 8}, {64, 4}, {96, 3}, {2048, 16}, {48, 4}})
    all.push_back(scanned(columns, count));
  for (const Way &way : ways(s32))
    all.push_back(combined(way, s32, Lying::inRows, 4));
  for (const Way &way : ways(bf16))
    all.push_back(combined(way, bf16, Lying::inRows, 2));
  return all;
}

const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
