// What random programs compute, and what they are given.

#include "test/kernels/RandomElements.h"
#include "test/kernels/RandomProgram.h"

#include "tool/Elements.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ashlar::test {
namespace {

using Values = std::vector<double>; ///< of the tiles of a cluster, row by row

int64_t whole(double value) { return static_cast<int64_t>(value); }

double lookUp(int64_t row, int64_t column) {
  const bool inside =
      row >= 0 && row < tableRows && column >= 0 && column < tableColumns;
  return inside ? elementOfTable(row, column) : 0;
}

class Interpreter {
public:
  Interpreter(const Program &program, int64_t m, int64_t n, int64_t M,
              int64_t N)
      : program(program), rows(program.rows), columns(program.columns),
        width(program.parts * columns), m(m), n(n), M(M), N(N) {}

  Interpreted run() {
    for (const Step &step : program.steps) {
      Values result = value(step);
      for (double &each : result)
        each = std::clamp<double>(each, -bound, bound);
      values.push_back(std::move(result));
    }
    Interpreted result{Values(rows * width), {}};
    for (size_t i = values.size() - 4; i < values.size(); ++i)
      for (int64_t at = 0; at < rows * width; ++at)
        result.d[at] = 3 * values[i][at] + 3 * result.d[at];
    for (double each : values.back()) {
      double value = kept(program.result, each, program.steps.back().isInteger);
      if (program.result == e2m1 && !program.steps.back().isInteger)
        value /= 2;
      result.e.push_back(value);
    }
    return result;
  }

private:
  template <class Function> Values each(Function function) {
    Values result(rows * width);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width; ++c)
        result[r * width + c] = function(r, c);
    return result;
  }

  /// The elements that are in an element's row, or column, in the same CTA.
  Values line(const Values &of, bool alongRow, int64_t r, int64_t c) {
    Values result;
    const int64_t first = c / columns * columns;
    for (int64_t i = 0; i < (alongRow ? columns : rows); ++i)
      result.push_back(alongRow ? of[r * width + first + i]
                                : of[i * width + c]);
    return result;
  }
  /// What each CTA makes of its elements.
  template <class Function>
  std::vector<double> ofAll(const Values &of, Function function) {
    std::vector<double> result;
    for (int64_t c = 0; c < width; c += columns) {
      Values part;
      for (int64_t r = 0; r < rows; ++r)
        std::ranges::copy(line(of, true, r, c), std::back_inserter(part));
      result.push_back(function(part));
    }
    return result;
  }

  static double combined(const Values &of, Combine how) {
    double result = how == Combine::sum ? 0 : how == Combine::max ? -1e9 : 1e9;
    for (double each : of)
      result = how == Combine::sum   ? result + each
               : how == Combine::max ? std::max(result, each)
                                     : std::min(result, each);
    return result;
  }

  Values value(const Step &step) {
    const Values none, &a = step.a < 0 ? none : values[step.a],
                       &b = step.b < 0 ? none : values[step.b],
                       &c = step.c < 0 ? none : values[step.c];
    auto at = [&](const Values &of, int64_t row, int64_t column) {
      return of.empty() ? 0 : of[row * width + column];
    };
    switch (step.kind) {
    case Step::inputX:
    case Step::inputY:
    case Step::inputZ:
      return each([&](int64_t row, int64_t column) {
        row += m, column += n;
        if (row >= M || column >= N)
          return 0.;
        if (step.kind == Step::inputZ)
          return elementOfZ(program.stored, row, column) *
                 (program.stored == e2m1 ? 2 : 1);
        return step.kind == Step::inputX ? elementOfX(row, column)
                                         : elementOfY(row, column);
      });
    case Step::inputRows:
      return each([&](int64_t row, int64_t column) {
        return lookUp(rowByIndex(row), column % columns);
      });
    case Step::number:
      return each([&](int64_t, int64_t) { return double(step.constant); });
    case Step::rowNumbers:
      return each([](int64_t row, int64_t) { return double(row); });
    case Step::columnNumbers:
      return each(
          [&](int64_t, int64_t column) { return double(column % columns); });
    case Step::elements:
      return each([&](int64_t row, int64_t column) {
        return elementOperations()[step.which].ofNumbers(
            at(a, row, column), at(b, row, column), at(c, row, column));
      });
    case Step::mixed:
      return each([&](int64_t row, int64_t column) {
        const double l = at(a, row, column), r = at(b, row, column);
        return step.which == 0 ? l + r : step.which == 1 ? l - r : l * r;
      });
    case Step::reduce:
      return each([&](int64_t row, int64_t column) {
        return combined(line(a, step.alongRow, row, column), step.combine);
      });
    case Step::half:
      return each([&](int64_t row, int64_t column) {
        const Values of = line(a, step.alongRow, row, column);
        const auto middle = of.begin() + int64_t(of.size() / 2);
        return combined(step.exclusive ? Values(middle, of.end())
                                       : Values(of.begin(), middle),
                        step.combine);
      });
    case Step::place:
      return each([&](int64_t row, int64_t column) {
        const Values of = line(a, step.alongRow, row, column);
        const auto found = step.exclusive ? std::ranges::min_element(of)
                                          : std::ranges::max_element(of);
        return double(found - of.begin());
      });
    case Step::whether:
      return each([&](int64_t row, int64_t column) {
        const Values of = line(a, step.alongRow, row, column);
        auto above = [&](double each) { return each > double(step.constant); };
        return double(step.exclusive ? std::ranges::all_of(of, above)
                                     : std::ranges::any_of(of, above));
      });
    case Step::scan:
      return each([&](int64_t row, int64_t column) {
        Values of = line(a, step.alongRow, row, column);
        of.resize((step.alongRow ? column % columns : row) + !step.exclusive);
        return combined(of, step.combine);
      });
    case Step::convert:
      return a;
    case Step::keep:
      return keep(step, a);
    case Step::lookUp:
      return each([&](int64_t row, int64_t column) {
        return lookUp(whole(at(a, row, column)), whole(at(b, row, column)));
      });
    case Step::addAll: {
      const std::vector<double> all = ofAll(a, [&](const Values &part) {
        return std::clamp<double>(combined(part, step.combine), -bound, bound);
      });
      return each([&](int64_t row, int64_t column) {
        return at(a, row, column) + all[column / columns];
      });
    }
    case Step::whenAny: {
      const std::vector<double> any = ofAll(a, [](const Values &part) {
        return *std::ranges::max_element(part) > 40;
      });
      return each([&](int64_t row, int64_t column) {
        return at(any[column / columns] ? a : b, row, column);
      });
    }
    case Step::loop: {
      Values result = a;
      const int64_t trips =
          std::min<int64_t>(whole(lookUp(step.constant, 3 * step.constant)), 3);
      for (int64_t trip = 0; trip < trips; ++trip)
        for (size_t i = 0; i < result.size(); ++i)
          result[i] = std::clamp<double>(result[i] + b[i] - double(trip),
                                         -bound, bound);
      return result;
    }
    case Step::whereInside:
      return each([&](int64_t row, int64_t column) {
        return at(m + row < M && n + column < N ? a : b, row, column);
      });
    case Step::scale:
      return each([&](int64_t row, int64_t column) {
        return at(a, row, column) *
               lookUp(step.constant, 5 * step.constant + step.which);
      });
    case Step::count: {
      auto bin = [](double value) { return whole(value) & 63; };
      std::vector<std::array<double, 64>> bins(program.parts);
      for (size_t i = 0; i < a.size(); ++i)
        ++bins[int64_t(i) % width / columns][bin(a[i])];
      return each([&](int64_t row, int64_t column) {
        return bins[column / columns][bin(at(a, row, column))];
      });
    }
    case Step::overCluster:
      return each([&](int64_t row, int64_t column) {
        Values of;
        for (int64_t p = 0; p < program.parts; ++p)
          of.push_back(at(a, row, p * columns + column % columns));
        return combined(of, step.combine);
      });
    case Step::product:
      return product(step, a, b);
    case Step::kinds:
      break;
    }
    return {};
  }

  Values keep(const Step &step, const Values &a) {
    return each([&](int64_t row, int64_t column) {
      int64_t from = row, fromColumn = column;
      // Each column changes places with its neighbour, rows go round.
      if (step.by == By::scattered || step.by == By::gathered) {
        fromColumn ^= 1;
        from = (row + (step.by == By::scattered ? rows - step.constant % rows
                                                : step.constant)) %
               rows;
      }
      if (step.by == By::turnedTile && rows == columns) {
        from = column % columns;
        fromColumn = column / columns * columns + row;
      }
      return kept(step.type, a[from * width + fromColumn], step.isInteger);
    });
  }

  Values product(const Step &step, const Values &a, const Values &b) {
    return each([&](int64_t row, int64_t column) {
      double sum = b.empty() ? 0 : b[row * width + column];
      for (int64_t i = 0; i < columns; ++i) {
        double left = a[row * width + i];
        if (size_bytes(step.type) == 1 || step.halfSum)
          left = std::clamp(left, -8., 8.);
        int64_t k = i;
        if (step.sparse && chunkOf(step.type) == 2) {
          k = 2 * i + (metadata(step.type, row, i) == 0xE);
        } else if (step.sparse) {
          const int places = metadata(step.type, row, i / 2);
          k = 4 * (i / 2) + (i % 2 ? places >> 2 : places & 3);
        }
        sum += left * weight(column, k);
      }
      return std::floor(sum / 16);
    });
  }

  const Program &program;
  const int64_t rows, columns, width, m, n, M, N;
  std::vector<Values> values; ///< vectors repeated
};

} // namespace

double kept(ElementType type, double value, bool isInteger) {
  auto rounded = [&](double exact) { return harness::rounded(type, exact); };
  if (type == e8m0)
    return rounded(std::max(value, 1.));
  if (type == e2m1 && !isInteger)
    return 2 * rounded(value / 2);
  // Among integers by truncation.
  return isInteger ? std::trunc(rounded(value)) : rounded(value);
}

double elementOfX(int64_t m, int64_t n) {
  return double((m * 131 + n * 17 + m * n % 7) % 23 - 11);
}
double elementOfY(int64_t m, int64_t n) {
  return double((m * 131 + n * 29 + m * n % 7) % 23 - 11);
}
double elementOfZ(ElementType type, int64_t m, int64_t n) {
  constexpr std::array e2m1s = {0., .5, 1., 1.5, 2., 3., 4., 6.};
  const int64_t number = (m * 13 + n * 29 + m * n % 5) % 16;
  if (type == e2m1)
    return number < 8 ? e2m1s[number] : -e2m1s[number - 8];
  if (type == e8m0)
    return std::exp2(number % 7);
  return double(type == u4 || type == u8 ? number : number - 8);
}
double elementOfTable(int64_t row, int64_t column) {
  return double((row * 37 + column * 11 + row * column % 7) % 50 - 20);
}
int64_t rowByIndex(int64_t index) { return (index * 7 + 3) % 30 - 2; }
double weight(int64_t n, int64_t k) {
  return double((n * 5 + k * 3 + n * k % 4) % 5 - 2);
}
int64_t chunkOf(ElementType type) { return type == f32 ? 2 : 4; }
int metadata(ElementType type, int64_t row, int64_t chunk) {
  constexpr std::array pairs = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  constexpr std::array halves = {0x4, 0xE};
  const int64_t number = row * 7 + chunk * 5 + row * chunk % 3;
  return type == f32 ? halves[number % 2] : pairs[number % 6];
}

Interpreted interpret(const Program &program, int64_t m, int64_t n, int64_t M,
                      int64_t N) {
  return Interpreter(program, m, n, M, N).run();
}

} // namespace ashlar::test
